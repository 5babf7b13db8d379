package fence

import "confine/policy"

// Decision is what a fence makes of a path, for explanations. It holds for the
// moment it was made: operations decide for themselves.
type Decision struct {
	Path    string        `json:"path"`    // as given
	Reached string        `json:"reached"` // free of links: the object, or the folder or link where the way there is barred
	Access  policy.Access `json:"access"`
	Layer   policy.Layer  `json:"layer"` // decides Reached
	Exists  bool          `json:"exists"`
	Reason  string        `json:"reason,omitempty"` // why Access is less than Layer's
}
