package classify

// Violation returns the denial that decided c in the form that harnesses show, or nil where c is not Denied.
// Path and Snippet hold what the command wrote; they are valid UTF-8 and may hold control characters.
func Violation(c Classification) *ViolationInfo {
	if c.Outcome != Denied || c.Deciding == nil {
		return nil
	}
	d := c.Deciding
	return &ViolationInfo{Kind: d.Kind, Reason: c.Reason, Path: d.Path, Snippet: cutBytes(d.Line, 512)}
}
