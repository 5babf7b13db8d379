package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"confine/policy"
)

// absolute makes a path of the command line absolute. "~" and "~/" are the home
// folder, since shells leave them alone in --flag=~/x.
//
// ".." is taken out of the text here, while the kernel goes up from wherever a
// link before it leads. A path for which the two differ is refused: a policy must
// not mean another folder than the one that was read in it.
func absolute(h policy.Host, path string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if h.Home == "" {
			return "", &usageError{msg: fmt.Sprintf("%q: the home folder is not known", path), hint: "set HOME, or write the path in full"}
		}
		path = h.Home + path[1:]
	}
	if h.Cwd == "" && !strings.HasPrefix(path, "/") {
		return "", &usageError{msg: fmt.Sprintf("%q: the current folder is not known", path), hint: "write the path in full"}
	}
	clean, err := policy.Abs(h.Cwd, path)
	if err != nil {
		return "", err
	}
	up := strings.LastIndex("/"+path+"/", "/../")
	if up < 0 {
		return clean, nil
	}
	start := path[:up+len("..")]
	if start[0] != '/' {
		start = h.Cwd + "/" + start
	}
	kernel, err := filepath.EvalSymlinks(start)
	if err != nil {
		return "", &usageError{msg: fmt.Sprintf("follow %q: %v", path, err), hint: "write the path without .."}
	}
	if text, err := filepath.EvalSymlinks(filepath.Clean(start)); err != nil || text != kernel {
		return "", &usageError{msg: fmt.Sprintf("%q goes up from a symlink", path),
			hint: fmt.Sprintf("name the folder it reaches: %s", shown(filepath.Join(kernel, path[up+len(".."):])))}
	}
	return clean, nil
}
