package policy

import (
	"slices"
	"strings"
)

// oracle is the meaning of a policy written down literally: it keeps a list of
// statements, scans all of them for every path, and follows links with a walk of
// its own. It shares nothing with the code under test but the input.
type oracle struct {
	tree      map[string]string // path -> "dir", "file", "socket" or "-> target"
	d         Defaults
	req       Request
	grant     []Entry
	h         Host
	mode      Mode
	protected []string
}

// fact is one statement: the higher rank decides between two for one path, the
// later among written ones (rank 2 and up), the stricter among generated ones.
type fact struct {
	path    string
	access  Access
	rank    int
	private bool
}

func inside(root, path string) bool {
	return root == "/" || path == root || strings.HasPrefix(path, root+"/")
}

// decide scans the facts for the one that counts at path.
func decide(facts []fact, path string) (best fact) {
	best = fact{path: "", access: Deny}
	for _, f := range facts {
		if !inside(f.path, path) {
			continue
		}
		deeper := len(f.path) > len(best.path)
		same := f.path == best.path
		switch {
		case best.path == "" || deeper && f.path != "/":
			best = f
		case same && f.rank > best.rank:
			best = f
		case same && f.rank == best.rank && f.rank >= 2:
			best = f
		case same && f.rank == best.rank && (f.access < best.access || f.access == best.access && !f.private):
			best = f
		}
	}
	return best
}

// follow resolves every link; it returns where the path ends, whether anything
// is there, and the links it went through.
func (o *oracle) follow(path string) (end string, exists bool, links []string) {
	end, exists = "/", true
	if path == "/" {
		return end, exists, nil
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i := 0; i < len(parts) && len(links) < 40; i++ {
		next := strings.TrimSuffix(end, "/") + "/" + parts[i]
		kind := o.tree[next]
		if target, is := strings.CutPrefix(kind, "-> "); is && exists {
			links = append(links, next)
			rest := append(strings.Split(strings.Trim(target, "/"), "/"), parts[i+1:]...)
			more, found, passed := o.follow("/" + strings.Join(rest, "/"))
			return more, found, append(links, passed...)
		}
		exists = exists && kind != ""
		end = next
	}
	return end, exists, links
}

// deployment lists what the trusted half says, without what depends on it.
func (o *oracle) deployment() []fact {
	root := Read
	if o.d.Baseline == BaselineDeny {
		root = Deny
	}
	facts := []fact{{path: "/", access: root}}
	if !o.d.NoHardening {
		for _, name := range []string{".ssh", ".aws"} {
			if end, exists, _ := o.follow(o.h.Home + "/" + name); exists {
				facts = append(facts, fact{path: end, access: Deny, rank: 1})
			}
		}
	}
	if o.mode == WorkspaceWrite {
		if o.d.Tmp != TmpNone {
			facts = append(facts, fact{path: "/tmp", access: Write, rank: 1, private: o.d.Tmp != TmpHost})
		}
		end, _, _ := o.follow(o.d.Workspace)
		facts = append(facts, fact{path: end, access: Write, rank: 1})
	}
	for _, e := range o.d.Entries {
		if end, exists, _ := o.follow(e.Path); exists || e.Access == Deny {
			facts = append(facts, fact{path: end, access: e.Access, rank: 2})
		}
	}
	return facts
}

// generated lists what follows from facts: sockets, absent carve-outs, and what
// protects each writable root. Only places decided by a fact of at least
// minRank concern it.
func (o *oracle) generated(facts []fact, minRank int) (more []fact) {
	add := func(path string, access Access, rank int, wanted func(fact) bool) {
		in := decide(facts, path)
		if in.rank < minRank || in.path == path && in.rank >= 2 || !wanted(in) {
			return
		}
		more = append(more, fact{path: path, access: access, rank: rank})
	}
	hostWrite := func(in fact) bool { return in.access == Write && !in.private }
	for _, e := range o.d.Entries {
		if end, exists, _ := o.follow(e.Path); !exists && e.Access == Read {
			add(end, Read, 2, hostWrite)
		}
	}
	if !o.d.NoHardening {
		for _, name := range []string{".ssh", ".aws", ".gnupg", ".kube", ".docker", ".config/gh", ".config/gcloud", ".npmrc", ".netrc", ".git-credentials"} {
			end, exists, links := o.follow(o.h.Home + "/" + name)
			if !exists {
				add(end, Deny, 1, hostWrite)
			}
			for _, l := range links {
				add(l, Read, 1, hostWrite)
			}
		}
	}
	for _, root := range facts {
		if decide(facts, root.path) != root || root.access != Write || root.private || root.rank < minRank || o.kind(root.path) != "dir" {
			continue
		}
		for _, name := range o.protected {
			end, _, links := o.follow(strings.TrimSuffix(root.path, "/") + "/" + name)
			for _, path := range append(links, end) {
				if !inside(path, root.path) {
					linked := len(links) > 0 && path == end
					add(path, Read, 1, func(in fact) bool { return hostWrite(in) && !(linked && in.path == path) })
				}
			}
		}
	}
	if o.d.NoHardening {
		return more
	}
	all := append(slices.Clone(facts), more...)
	for _, s := range o.h.Sockets {
		in := decide(all, s)
		if in.access == Read && !(in.path == s && in.rank >= 2) && (in.rank >= minRank || slices.Contains(more, in)) {
			more = append(more, fact{path: s, access: Deny, rank: 1})
		}
	}
	return more
}

func (o *oracle) kind(path string) string {
	if path == "/" {
		return "dir"
	}
	return o.tree[path]
}

// judge returns the access of every path asked for, and the links through which
// a written path goes although the command could replace them.
func (o *oracle) judge(paths []string) (access map[string]Access, planted []string) {
	trusted := o.deployment()
	trusted = append(trusted, o.generated(trusted, 0)...)

	var asked []fact
	for _, e := range o.req.Entries {
		end, _, _ := o.follow(e.Path)
		asked = append(asked, fact{path: end, access: e.Access, rank: 2})
	}
	// The intersection, as statements: one for every path either side speaks of.
	// A request for no less than is in force states nothing, unless it makes an
	// exception from another request entry.
	both := slices.Clone(trusted)
	for _, f := range asked {
		exception := slices.ContainsFunc(asked, func(r fact) bool { return r.path != f.path && inside(r.path, f.path) })
		if decide(asked, f.path).access < decide(trusted, f.path).access || exception {
			both = append(both, f)
		}
	}
	for i, f := range both {
		t := decide(trusted, f.path)
		if r := decide(asked, f.path); r.path != "" {
			t.access = min(t.access, r.access)
		}
		if t.path != f.path {
			t.rank = 2
		}
		t.path = f.path
		both[i] = t
	}
	open := slices.Clone(trusted)
	for _, e := range o.grant {
		if end, exists, _ := o.follow(e.Path); exists {
			both = append(both, fact{path: end, access: e.Access, rank: 3})
			open = append(open, fact{path: end, access: e.Access, rank: 3})
		}
	}
	if len(o.grant) > 0 {
		both = append(both, o.generated(both, 3)...)
		open = append(open, o.generated(open, 3)...)
	}
	access = map[string]Access{}
	for _, p := range paths {
		access[p] = decide(both, p).access
	}

	written := slices.Concat(o.d.Entries, o.req.Entries, o.grant)
	written = append(written, Entry{Path: o.d.Workspace})
	for _, e := range written {
		_, _, links := o.follow(e.Path)
		for _, l := range links {
			if in := decide(open, l); in.access == Write && !in.private {
				planted = append(planted, l)
			}
		}
	}
	return access, planted
}
