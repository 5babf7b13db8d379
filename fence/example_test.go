//go:build linux

package fence_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"confine/fence"
	"confine/policy"
)

// Example_harness is the file tools of an agent: what the model names is judged
// by what it reaches, and a denial says what would have been possible.
func Example_harness() {
	workspace, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(workspace)
	// A link that the model, or a checked-out repository, put there.
	if err := os.Symlink("/etc/passwd", filepath.Join(workspace, "notes.txt")); err != nil {
		fmt.Println(err)
		return
	}

	p, err := policy.Resolve(policy.Request{Cwd: workspace}, // nothing asked for
		policy.Defaults{Mode: policy.WorkspaceWrite}, policy.Host{}, onHost{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := fence.New(p)
	if err != nil {
		fmt.Println(err)
		return
	}

	if err := f.WriteFile("README.md", []byte("# Title\n"), 0o644); err != nil {
		fmt.Println(err)
	}
	text, err := f.ReadFile("README.md")
	fmt.Printf("%q %v\n", text, err)

	err = f.WriteFile("notes.txt", []byte("root::0:0::/:"), 0o644)
	var denied *fence.DeniedError
	if errors.As(err, &denied) {
		fmt.Println(denied.Code, denied.Wanted, denied.Path, "reaches", denied.Reached)
		fmt.Println(strings.ReplaceAll(err.Error(), workspace, "/workspace"))
	}
	fmt.Println(errors.Is(err, fs.ErrPermission))
	// Output:
	// "# Title\n" <nil>
	// SANDBOX_DENIED write notes.txt reaches /etc/passwd
	// write "notes.txt": denied at "/etc/passwd"; mode workspace-write, layer "/" (baseline: read); writable: ["/workspace"]
	// true
}

// onHost is the host's tree. The package that runs commands has one to use.
type onHost struct{}

func (onHost) Lstat(path string) (policy.Info, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return policy.Info{}, err
	case info.IsDir():
		return policy.Info{Kind: policy.KindDir}, nil
	case info.Mode()&fs.ModeSymlink != 0:
		return policy.Info{Kind: policy.KindSymlink}, nil
	case info.Mode().IsRegular():
		return policy.Info{Kind: policy.KindFile}, nil
	}
	return policy.Info{Kind: policy.KindOther}, nil
}

func (onHost) Readlink(path string) (string, error) { return os.Readlink(path) }

func (onHost) ReadFile(path string, max int64) ([]byte, error) { return os.ReadFile(path) }

func (onHost) ReadDir(path string) (names []string, err error) {
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}
