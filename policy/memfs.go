package policy

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// MemFS is a tree in memory that answers as a host would, for tests of code that
// resolves policies. The zero value is not usable; see NewMemFS. Its methods
// must not run concurrently with those that add to it.
type MemFS struct {
	nodes map[string]memNode
}

type memNode struct {
	kind   Kind
	text   string // content of a file, target of a link
	barred bool
	names  map[string]bool
}

var _ FS = (*MemFS)(nil)

// NewMemFS returns a tree that holds the given folders.
func NewMemFS(dirs ...string) *MemFS {
	m := &MemFS{nodes: map[string]memNode{"/": {kind: KindDir, names: map[string]bool{}}}}
	for _, d := range dirs {
		m.Dir(d)
	}
	return m
}

// Dir, File, Symlink and Node add to the tree, making the folders above, and
// return it. Paths are clean; what was there is replaced.

func (m *MemFS) Dir(path string) *MemFS { return m.put(path, memNode{kind: KindDir}) }
func (m *MemFS) File(path, content string) *MemFS {
	return m.put(path, memNode{kind: KindFile, text: content})
}
func (m *MemFS) Symlink(path, target string) *MemFS {
	return m.put(path, memNode{kind: KindSymlink, text: target})
}
func (m *MemFS) Node(path string, kind Kind) *MemFS { return m.put(path, memNode{kind: kind}) }

// Bar makes a folder one whose contents may not be looked at.
func (m *MemFS) Bar(path string) *MemFS { return m.put(path, memNode{kind: KindDir, barred: true}) }

func (m *MemFS) put(path string, n memNode) *MemFS {
	if old, ok := m.nodes[path]; ok {
		n.names = old.names
	}
	if n.kind == KindDir && n.names == nil {
		n.names = map[string]bool{}
	}
	if path != "/" {
		dir := parent(path)
		if _, ok := m.nodes[dir]; !ok {
			m.Dir(dir)
		}
		m.nodes[dir].names[path[strings.LastIndexByte(path, '/')+1:]] = true
	}
	m.nodes[path] = n
	return m
}

func (m *MemFS) get(op, path string) (memNode, error) {
	for _, dir := range Ancestors(path) {
		if n, ok := m.nodes[dir]; ok && n.barred {
			return memNode{}, &fs.PathError{Op: op, Path: path, Err: fs.ErrPermission}
		}
	}
	n, ok := m.nodes[path]
	if !ok {
		return memNode{}, &fs.PathError{Op: op, Path: path, Err: fs.ErrNotExist}
	}
	return n, nil
}

func (m *MemFS) Lstat(path string) (Info, error) {
	n, err := m.get("lstat", path)
	return Info{Kind: n.kind}, err
}

func (m *MemFS) Readlink(path string) (string, error) {
	n, err := m.get("readlink", path)
	if err == nil && n.kind != KindSymlink {
		err = &fs.PathError{Op: "readlink", Path: path, Err: fs.ErrInvalid}
	}
	return n.text, err
}

func (m *MemFS) ReadFile(path string, max int64) ([]byte, error) {
	n, err := m.get("open", path)
	switch {
	case err != nil:
		return nil, err
	case n.kind != KindFile:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrInvalid}
	case int64(len(n.text)) > max:
		return nil, fmt.Errorf("read %q: more than %d bytes", path, max)
	}
	return []byte(n.text), nil
}

func (m *MemFS) ReadDir(path string) ([]string, error) {
	n, err := m.get("open", path)
	switch {
	case err != nil:
		return nil, err
	case n.barred:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	case n.kind != KindDir:
		return nil, &fs.PathError{Op: "readdir", Path: path, Err: fs.ErrInvalid}
	}
	return slices.Sorted(maps.Keys(n.names)), nil
}
