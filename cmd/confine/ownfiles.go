package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"confine/confine"
	"confine/policy"
)

// keepOwnFolders makes confine's own folders that do not exist and that the
// command could create: what appeared in them would be trusted by the next run.
// A folder that exists is held by the kernel; one that does not is only watched,
// and the watch ends with confine.
func keepOwnFolders(d policy.Defaults, approved bool, host policy.Host) error {
	own := []string{"/etc/confine"}
	if dir := configDir(host); dir != "" {
		own = append(own, dir)
	}
	if dir, err := confine.StateDir(host); err == nil {
		own = append(own, dir)
	}
	for _, dir := range own {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || !mayBecomeWritable(d, approved, host, dir) {
			continue
		}
		if err := os.MkdirAll(dir, 0o700); err != nil && !errors.Is(err, fs.ErrPermission) { // else the command cannot either
			return fmt.Errorf("keep the folder %q from the command: %w", dir, err)
		}
	}
	return nil
}

// mayBecomeWritable errs on the side of yes.
func mayBecomeWritable(d policy.Defaults, approved bool, host policy.Host, dir string) bool {
	real := dir
	for at, rest := dir, ""; at != "/"; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if there, err := filepath.EvalSymlinks(at); err == nil {
			real = filepath.Join(there, rest)
			break
		}
	}
	holds := func(root string) bool {
		if resolved, err := filepath.EvalSymlinks(root); err == nil {
			root = resolved
		}
		return policy.Contains(root, real) || policy.Contains(root, dir)
	}
	workspace := d.Workspace
	if workspace == "" {
		workspace = host.Cwd
	}
	if approved || d.Mode == policy.WorkspaceWrite && holds(workspace) {
		return true
	}
	for _, e := range d.Entries {
		if e.Access == policy.Write && holds(e.Path) {
			return true
		}
	}
	return false
}
