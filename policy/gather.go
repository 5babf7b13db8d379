package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// gather asks the host about everything the policy names.
func (r *resolver) gather(f *facts, mode Mode, grant Grant) {
	d := r.d
	f.baseline = cmp.Or(d.Baseline, BaselineAllow)
	f.runtime = cmp.Or(d.Runtime, RuntimeSystem)
	f.absent = cmp.Or(d.Absent, AbsentWatch)
	f.asked, f.hardening = d.Tmp, !d.NoHardening
	f.env = EnvRules{Pass: slices.Clone(d.Env.Pass), Set: maps.Clone(d.Env.Set), All: d.Env.All}
	f.limits = d.Limits
	f.seccomp = SeccompRules{Preset: d.Seccomp.Preset, Allow: slices.Clone(d.Seccomp.Allow), Deny: slices.Clone(d.Seccomp.Deny)}
	f.files = slices.Clone(d.Files)

	r.builtin(f)
	r.workspace(f, mode)
	for _, e := range d.Entries {
		r.entry(f, e, OriginEntry)
	}
	for _, req := range r.requests() {
		f.requested = append(f.requested, nil)
		for _, e := range req.Entries {
			r.entry(f, e, OriginRestriction)
		}
	}
	for _, e := range grant.Entries {
		r.entry(f, e, OriginApproval)
	}
	r.own(f, d.Files, Read, "policy file in force")
	r.own(f, d.Private, Read, "confine's own file")
	r.own(f, d.Secret, Deny, "confine's own secret")
	r.protect(f)
}

// workspace finds the folder that workspace-write makes writable. Under other
// modes it need not exist.
func (r *resolver) workspace(f *facts, mode Mode) {
	given := cmp.Or(r.req.Cwd, r.d.Workspace, r.h.Cwd)
	f.cwd = cmp.Or(r.req.Cwd, r.h.Cwd, r.d.Workspace)
	for _, path := range []string{r.req.Cwd, r.d.Workspace} {
		if path == "" {
			continue
		}
		if _, err := Clean(path); err != nil {
			r.report(&Error{Code: CodeInvalid, Path: path, Source: "workspace", Msg: "use the folder", Err: err})
			return
		}
	}
	if cwd, err := Clean(f.cwd); err == nil {
		f.cwd = cwd
	}
	e := Entry{Path: given, Access: Write, Source: "workspace"}
	at, err := r.findWorkspace(e)
	if err != nil {
		if f.noWorkspace = err; mode == WorkspaceWrite {
			r.report(err)
		}
		return
	}
	r.pass(f, e, at)
	f.workspace = Layer{Path: at.path, Access: Write, Origin: OriginMode, Kind: KindDir, Source: "workspace"}
}

func (r *resolver) findWorkspace(e Entry) (place, error) {
	bad := func(msg, hint string, err error) (place, error) {
		return place{}, &Error{Code: CodeInvalid, Path: e.Path, Source: e.Source, Msg: msg, Hint: hint, Err: err}
	}
	if e.Path == "" {
		return bad("no workspace is named and the current folder is not known", "name one with --workspace", nil)
	}
	path, err := Clean(e.Path)
	if err != nil {
		return bad("use the folder", "", err)
	}
	at, err := r.walk(path)
	switch {
	case err != nil:
		return bad(fmt.Sprintf("use %q", path), "", err)
	case at.absent:
		return bad(fmt.Sprintf("%q does not exist", path), "create it, or name another with --workspace", nil)
	case at.barred:
		return bad(fmt.Sprintf("%q may not be looked at", path), "", nil)
	case at.kind != KindDir:
		return bad(fmt.Sprintf("%q is not a folder", path), "", nil)
	case at.path == "/" && !slices.ContainsFunc(r.d.Entries, func(e Entry) bool {
		p, err := Clean(e.Path)
		return err == nil && p == "/" && e.Access == Write
	}):
		return bad(`the workspace is "/", which would make the whole host writable`,
			"start in a project folder, name one with --workspace, or grant it with --write /", nil)
	}
	if why := unwritable(at.path); why != "" {
		return bad(fmt.Sprintf("%q %s", path, why), "name another folder with --workspace", nil)
	}
	return at, nil
}

// unwritable says why nothing may be granted for writing at a path, or "".
func unwritable(path string) string {
	switch {
	case Contains("/proc", path):
		return "is kernel state: /proc is made for the run and not granted from the host"
	case Contains("/sys", path):
		return "is kernel state: writing below /sys changes the machine and its limits"
	case path == "/dev":
		return "holds every device; grant single devices"
	}
	return ""
}

// entry resolves one entry and files it under its origin.
func (r *resolver) entry(f *facts, e Entry, origin Origin) {
	r.inputs++
	fail := func(msg, hint string, err error) {
		r.report(&Error{Code: CodeInvalid, Path: e.Path, Source: cmp.Or(e.Source, origin.String()), Msg: msg, Hint: hint, Err: err})
	}
	if !accessWords.valid(uint8(e.Access)) {
		fail(fmt.Sprintf("the access of %q is %s", clip(e.Path, 200), e.Access), `use "deny", "read" or "write"`, nil)
		return
	}
	act := fmt.Sprintf("%s %q", e.Access, clip(e.Path, 200))
	if origin == OriginRestriction && e.Access == Write {
		fail(act+": a request may only narrow", "ask the host for an approval", nil)
		return
	}
	path, err := Clean(e.Path)
	switch {
	case err != nil:
		fail(act, "", err)
		return
	case len(path) >= MaxPath:
		fail(fmt.Sprintf("%s: the path has %d bytes; the kernel takes %d", act, len(path), MaxPath-1), "", nil)
		return
	}
	at, err := r.walk(path)
	switch {
	case err != nil:
		fail(act, "", err)
		return
	case at.barred && e.Access == Write:
		fail(act+": the path may not be looked at", "", nil)
		return
	case at.absent && !e.Optional:
		fail(act+": the path does not exist", fmt.Sprintf("create it, or mark it optional: %s?", path), nil)
		return
	}
	if why := unwritable(at.path); why != "" && e.Access == Write {
		fail(fmt.Sprintf("%s: %q %s", act, at.path, why), "", nil)
		return
	}
	r.pass(f, e, at)
	l := Layer{
		Path: at.path, Access: e.Access, Origin: origin, Kind: at.kind, Absent: at.absent,
		Private: Contains("/proc", at.path), Source: cmp.Or(e.Source, origin.String()),
	}
	resolved := Entry{Path: at.path, Access: e.Access, Optional: e.Optional, Source: e.Source}
	if origin == OriginEntry {
		f.entries = append(f.entries, resolved)
	}
	switch {
	case origin == OriginRestriction:
		last := len(f.requested) - 1
		f.requested[last] = append(f.requested[last], l)
	case at.absent && e.Access == Write:
		f.dropped = append(f.dropped, resolved)
	case at.absent && e.Access == Read:
		f.vacant = append(f.vacant, l)
	case origin == OriginApproval:
		f.approved = append(f.approved, l)
	default:
		f.trusted = append(f.trusted, l)
	}
}

// pass remembers the links on the way of a written path.
func (r *resolver) pass(f *facts, e Entry, at place) {
	for _, link := range at.links {
		f.passed = append(f.passed, passedLink{r.inputs, e, link})
		if e.Access != Deny {
			f.links = append(f.links, link)
		}
	}
}

// own keeps files of confine itself out of reach.
func (r *resolver) own(f *facts, paths []string, access Access, source string) {
	for _, given := range paths {
		path, err := Clean(given)
		if err != nil {
			r.report(&Error{Code: CodeInvalid, Path: given, Source: source, Msg: "protect the file", Err: err})
			continue
		}
		at, err := r.walk(path)
		if err != nil {
			r.report(&Error{Code: CodeInvalid, Path: given, Source: source, Msg: fmt.Sprintf("protect %q", path), Err: err})
			continue
		}
		f.kept = append(f.kept, Layer{Path: at.path, Access: access, Origin: OriginProtected, Kind: at.kind, Absent: at.absent, Source: source})
		f.keptLinks = append(f.keptLinks, linkLayers(at, OriginProtected, source)...)
	}
}

// linkLayers are layers that keep the links of a generated path from being
// replaced.
func linkLayers(at place, origin Origin, source string) []Layer {
	var layers []Layer
	for _, link := range at.links {
		layers = append(layers, Layer{
			Path: link.Path, Access: Read, Origin: origin, Symlink: true, Kind: KindSymlink,
			Source: source + " (link to " + strings.ToValidUTF8(link.Target, "?") + ")",
		})
	}
	return layers
}
