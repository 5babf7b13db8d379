//go:build !linux

package fence

import (
	"errors"
	"io/fs"
	"os"

	"confine/policy"
)

// Without O_PATH descriptors that the kernel locates there is no fence: New
// fails, and so does every operation of a zero Fence.

func supported() error { return errors.ErrUnsupported }

func unsupported(op, path string) error {
	return &fs.PathError{Op: op, Path: path, Err: errors.ErrUnsupported}
}

func (f *Fence) Decide(path string) (Decision, error)          { return Decision{}, unsupported("check", path) }
func (f *Fence) Check(path string, access policy.Access) error { return unsupported("check", path) }
func (f *Fence) Open(path string) (*os.File, error)            { return nil, unsupported("open", path) }
func (f *Fence) Create(path string) (*os.File, error)          { return nil, unsupported("open", path) }
func (f *Fence) ReadFile(path string) ([]byte, error)          { return nil, unsupported("open", path) }
func (f *Fence) Mkdir(path string, perm fs.FileMode) error     { return unsupported("mkdir", path) }
func (f *Fence) MkdirAll(path string, perm fs.FileMode) error  { return unsupported("mkdir", path) }
func (f *Fence) Remove(path string) error                      { return unsupported("remove", path) }
func (f *Fence) RemoveAll(path string) error                   { return unsupported("removeall", path) }
func (f *Fence) Rename(from, to string) error                  { return unsupported("rename", from) }
func (f *Fence) Stat(path string) (fs.FileInfo, error)         { return nil, unsupported("stat", path) }
func (f *Fence) Lstat(path string) (fs.FileInfo, error)        { return nil, unsupported("lstat", path) }
func (f *Fence) Readlink(path string) (string, error)          { return "", unsupported("readlink", path) }
func (f *Fence) ReadDir(path string) ([]fs.DirEntry, error)    { return nil, unsupported("readdir", path) }
func (f *Fence) WalkDir(root string, fn fs.WalkDirFunc) error  { return unsupported("walk", root) }

func (f *Fence) OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return nil, unsupported("open", path)
}

func (f *Fence) WriteFile(path string, data []byte, perm fs.FileMode) error {
	return unsupported("open", path)
}
