package classify

// Violation returns the denial that decided c, or nil where c is not Denied.
func Violation(c Classification) *ViolationInfo {
	if c.Outcome != Denied || c.Deciding == nil {
		return nil
	}
	d := c.Deciding
	return &ViolationInfo{Kind: d.Kind, Reason: c.Reason, Path: d.Path, Snippet: d.Line}
}
