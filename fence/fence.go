package fence

import (
	"errors"
	"fmt"
	"strings"

	"confine/policy"
)

// Fence does file operations that a policy grants. It is immutable, holds no
// descriptors, needs no closing, and can be used by several goroutines.
type Fence struct {
	layers     policy.Layers
	mode       policy.Mode
	cwd        string
	unconfined bool
	hardLinks  bool
	writable   []string
	through    map[string]bool         // denied folders that lead to something granted
	links      map[string]string       // links in places that are not shown, on the way to something granted
	carved     map[string]policy.Layer // a layer that does not grant writing, by each folder above it
}

// Option changes how a Fence decides.
type Option func(*Fence)

// WithHardLinks allows writing to a file that has more than one name. The other
// names are not judged: one may lie where the policy denies writing.
func WithHardLinks(allow bool) Option { return func(f *Fence) { f.hardLinks = allow } }

// New returns the fence of a resolved policy. The error is a *policy.Error for
// one that is not valid, and wraps errors.ErrUnsupported where the system has
// no way to hold and locate an object: not Linux, or no /proc.
func New(p policy.Policy, options ...Option) (*Fence, error) {
	if err := p.Valid(); err != nil {
		return nil, err
	}
	_, confining := p.Confining()
	f := &Fence{
		layers: policy.GrantLayers(p), mode: p.Mode(), cwd: p.Cwd(), unconfined: !confining,
		through: map[string]bool{}, links: p.RuntimeLinks(), carved: map[string]policy.Layer{},
	}
	for _, option := range options {
		option(f)
	}
	for _, root := range f.layers.WritableRoots() {
		if !root.Private {
			f.writable = append(f.writable, root.Path)
		}
	}
	for link := range f.links {
		f.leadTo(link)
	}
	for _, layer := range f.layers.All() {
		access := granted(layer)
		if access != policy.Deny {
			f.leadTo(layer.Path)
		}
		if access != policy.Write {
			for _, dir := range policy.Ancestors(layer.Path) {
				if _, ok := f.carved[dir]; !ok {
					f.carved[dir] = layer
				}
			}
		}
	}
	if err := supported(); err != nil {
		return nil, fmt.Errorf("locate open files: %w", err)
	}
	return f, nil
}

func (f *Fence) leadTo(path string) {
	for _, dir := range policy.Ancestors(path) {
		f.through[dir] = true
	}
}

// granted is the access a layer gives in this process, where the private
// folders of a run do not exist.
func granted(layer policy.Layer) policy.Access {
	if layer.Private {
		return policy.Deny
	}
	return layer.Access
}

// access decides about a clean path, lexically.
func (f *Fence) access(path string) policy.Access {
	if f.unconfined {
		return policy.Write
	}
	return granted(f.layers.Deciding(path))
}

// passable reports whether a walk may look at what is at a clean path.
func (f *Fence) passable(path string) bool {
	if f.access(path) != policy.Deny || f.through[path] {
		return true
	}
	_, link := f.links[path]
	return link
}

// judge returns a *DeniedError if the policy does not grant the wanted access
// where the given path leads.
func (f *Fence) judge(given, reached string, wanted policy.Access) error {
	if f.access(reached) >= wanted {
		return nil
	}
	layer := f.layers.Deciding(reached)
	reason := ""
	if layer.Private {
		reason = privateReason
	}
	return f.deny(given, reached, wanted, layer, reason)
}

// absolute prepares a path for a walk. It does not clean it: what ".." means
// depends on links.
func (f *Fence) absolute(path string) (string, error) {
	switch {
	case path == "":
		return "", errEmpty
	case strings.IndexByte(path, 0) >= 0:
		return "", errNUL
	case path[0] == '/':
		return path, nil
	case f.cwd == "":
		return "", errRelative
	}
	return f.cwd + "/" + path, nil
}

var (
	errEmpty    = errors.New("the path is empty")
	errNUL      = errors.New("the path holds a NUL byte")
	errRelative = errors.New("the path is relative and the policy has no current folder")
)

// join names an entry of a clean folder.
func join(dir, name string) string {
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name
}

// folder is the one that holds a clean path; that of "/" is "/".
func folder(path string) string { return path[:max(1, strings.LastIndexByte(path, '/'))] }
