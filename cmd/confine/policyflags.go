package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/pflag"

	"confine/confine"
	"confine/policy"
	"confine/seccomp"
)

// workspaceFile is the request that a project may keep in its workspace.
const workspaceFile = ".confine.jsonc"

// maxRequest bounds what is read of a request; the parser takes less.
const maxRequest = 2 << 20

// policyFlags are the flags that make a policy, for every verb that needs one.
type policyFlags struct {
	files     []string
	request   string
	workspace string
	cwd       string
	backend   string
	approval  string // token; only a run has one, since it is spent
	// judge, where set, says no before anything is spent
	judge func(d policy.Defaults, approved bool) error
	d     policy.Defaults // what the flags say, paths as written
}

func (f *policyFlags) register(fs *pflag.FlagSet) {
	d := &f.d
	fs.Var(wordFlag[policy.Mode]{&d.Mode, policy.ParseMode, "MODE"}, "mode", "file effects: read-only (default), workspace-write, danger-full-access")
	fs.Var(textFlag{&f.workspace, "DIR"}, "workspace", "folder that workspace-write makes writable (default the current one)")
	fs.Var(wordFlag[policy.Reach]{&d.Network, policy.ParseReach, "REACH"}, "net", "network: deny (default), loopback, allow-all")
	fs.Var(entryFlag{&d.Entries, policy.Read}, "read", "make PATH readable; a trailing ? allows its absence (repeatable)")
	fs.Var(entryFlag{&d.Entries, policy.Write}, "write", "make PATH writable (repeatable)")
	fs.Var(entryFlag{&d.Entries, policy.Deny}, "deny", "hide PATH (repeatable)")
	fs.Var(wordFlag[policy.Baseline]{&d.Baseline, policy.ParseBaseline, "ACCESS"}, "baseline", "what nothing else names: allow (readable, default), deny")
	fs.Var(wordFlag[policy.Runtime]{&d.Runtime, policy.ParseRuntime, "SET"}, "runtime", "what baseline deny still shows: system (default), none")
	fs.Var(wordFlag[policy.Tmp]{&d.Tmp, policy.ParseTmp, "KIND"}, "tmp", "/tmp, /var/tmp, /dev/shm: private (default in workspace-write), none, host")
	fs.Var(sizeFlag{&d.Limits.Tmp}, "tmp-size", "most bytes in private temporary folders, as 512MiB")
	fs.Var(listFlag{&f.files, "FILE"}, "policy", "policy file, instead of the user's and the system's (repeatable, later ones go on top)")
	fs.Var(textFlag{&f.request, "FILE"}, "request", "untrusted request that may only narrow; - reads standard input")
	fs.Var(listFlag{&d.Protect, "NAME"}, "protect", "keep NAME unwritable directly below writable folders (repeatable)")
	fs.Var(listFlag{&d.Unprotect, "NAME"}, "unprotect", "drop a protected name (repeatable)")
	fs.BoolVar(&d.NoHardening, "no-hardening", false, "drop the built-in denials of credentials and sockets")
	fs.Var(envFlag{&d.Env}, "env", "pass an environment variable on, or set it (repeatable)")
	fs.BoolVar(&d.Env.All, "env-all", false, "pass all variables on but secret-shaped names")
	fs.Var(textFlag{&f.cwd, "DIR"}, "cwd", "folder the command starts in (default the current one)")
	fs.Var(durationFlag{&d.Limits.Wall}, "timeout", "end the command after this time, as 30s; the exit status is then 124")
	fs.Var(choiceFlag{&d.Seccomp.Preset, []string{seccomp.PresetDefault, seccomp.PresetStrict}, "preset"}, "seccomp", "system call filter: default, strict")
	fs.Var(choiceFlag{&f.backend, []string{"auto", confine.BackendNamespace}, "backend"}, "backend", "auto (default), namespace")
}

// resolved is a policy and what went into it.
type resolved struct {
	policy policy.Policy
	dir    string   // the working directory that was asked for; "" is the policy's
	notes  []string // what a person should know about how the files were read
}

// requestError is an untrusted request that was refused.
type requestError struct{ err error }

func (e *requestError) Error() string { return "request: " + e.err.Error() }
func (e *requestError) Unwrap() error { return e.err }

// resolve makes the policy: files, then flags, narrowed by requests. The files in
// own are never writable inside, unless they are out of its reach anyway.
func (f *policyFlags) resolve(host policy.Host, own ...string) (resolved, error) {
	d, err := f.defaults(host)
	if err != nil {
		return resolved{}, err
	}
	req, err := f.requests(&d, host)
	if err != nil {
		return resolved{}, err
	}
	r := resolved{notes: d.Notes}
	if f.cwd != "" {
		if r.dir, err = workingDir(host, f.cwd); err != nil {
			return resolved{}, err
		}
	}
	if req.Approval, err = redeem(f.approval, req, f.request != "", host); err != nil {
		return resolved{}, err
	}
	if f.judge != nil {
		if err := f.judge(d, req.Approval != nil); err != nil {
			return resolved{}, err
		}
	}
	d.Private = append(d.Private, own...)
	if state, err := confine.StateDir(host); err == nil {
		d.Secret = append(d.Secret, state)
	}
	r.policy, err = policy.Resolve(req, d, host, confine.FS())
	return r, err
}

// defaults merges the policy files and the flags, which go on top.
func (f *policyFlags) defaults(host policy.Host) (policy.Defaults, error) {
	var problems []error
	abs := func(flag, path string) string {
		clean, err := absolute(host, path)
		if err != nil {
			problems = append(problems, fmt.Errorf("flag --%s: %w", flag, err))
		}
		return clean
	}
	workspace := ""
	if f.workspace != "" {
		workspace = abs("workspace", f.workspace)
	}
	files := make([]string, len(f.files))
	for i, file := range f.files {
		files[i] = abs("policy", file)
	}
	entries := slices.Clone(f.d.Entries)
	for i := range entries {
		entries[i].Path = abs(entries[i].Access.String(), entries[i].Path)
	}
	if len(problems) > 0 {
		return policy.Defaults{}, errors.Join(problems...)
	}
	private := []string{"/etc/confine"}
	if dir := configDir(host); dir != "" {
		private = append(private, dir)
	}
	if len(files) == 0 {
		files = installedPolicy(private)
	}
	d := policy.Defaults{Workspace: workspace}
	if len(files) > 0 {
		var err error
		if d, err = policy.Load(files, workspace, host, confine.FS()); err != nil {
			return d, err
		}
	}
	d.Private = append(d.Private, private...)
	f.over(&d, entries)
	return d, nil
}

// over puts the flags on top of what files say.
func (f *policyFlags) over(d *policy.Defaults, entries []policy.Entry) {
	over(&d.Mode, f.d.Mode)
	over(&d.Network, f.d.Network)
	over(&d.Baseline, f.d.Baseline)
	over(&d.Runtime, f.d.Runtime)
	over(&d.Tmp, f.d.Tmp)
	over(&d.Limits.Tmp, f.d.Limits.Tmp)
	over(&d.Limits.Wall, f.d.Limits.Wall)
	over(&d.Seccomp.Preset, f.d.Seccomp.Preset)
	over(&d.NoHardening, f.d.NoHardening)
	over(&d.Env.All, f.d.Env.All)
	d.Entries = append(d.Entries, entries...)
	d.Protect = append(d.Protect, f.d.Protect...)
	d.Unprotect = append(d.Unprotect, f.d.Unprotect...)
	for _, name := range f.d.Env.Pass {
		delete(d.Env.Set, name)
	}
	d.Env.Pass = append(d.Env.Pass, f.d.Env.Pass...)
	for name, value := range f.d.Env.Set {
		if d.Env.Set == nil {
			d.Env.Set = map[string]string{}
		}
		d.Env.Set[name] = value
	}
}

func over[T comparable](to *T, flag T) {
	var unset T
	if flag != unset {
		*to = flag
	}
}

// configDir is the user's folder of policy files, "" where none is known.
func configDir(host policy.Host) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "confine")
	}
	if host.Home == "" {
		return ""
	}
	return filepath.Join(host.Home, ".config", "confine")
}

// installedPolicy is the policy file in force without --policy: the user's, else
// the system's. One that is there and cannot be read is not passed over.
func installedPolicy(dirs []string) []string {
	for _, dir := range slices.Backward(dirs) {
		path := filepath.Join(dir, "policy.jsonc")
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return []string{path}
		}
	}
	return nil
}

// requests reads what narrows the policy: --request, and the workspace's own
// file, which the command may not change, so that the next run is narrowed too.
func (f *policyFlags) requests(d *policy.Defaults, host policy.Host) (policy.Request, error) {
	var req policy.Request
	if f.request != "" {
		text, err := readRequest(host, f.request)
		if err != nil {
			return req, &requestError{err}
		}
		if req, err = policy.ParseRequest(text); err != nil {
			return req, &requestError{err}
		}
	}
	workspace := d.Workspace
	if workspace == "" {
		workspace = host.Cwd
	}
	path := filepath.Join(workspace, workspaceFile)
	if d.Mode == policy.WorkspaceWrite {
		d.Private = append(d.Private, path) // also when it is absent: the next run would read it
	}
	text, err := readPlain(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return req, nil
	}
	if err != nil {
		return req, &requestError{err}
	}
	also, err := policy.ParseWorkspaceRequest(path, text, workspace)
	if err != nil {
		return req, &requestError{err}
	}
	req.Also = append(req.Also, also)
	d.Private = append(d.Private, path)
	return req, nil
}

// readPlain reads a file that a command may have put there: a link is not
// followed, since parts of what it leads to could appear in messages.
func readPlain(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%q is a symlink; a request must be a file", path)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is not a regular file", path)
	}
	return io.ReadAll(io.LimitReader(f, maxRequest))
}

func readRequest(host policy.Host, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, maxRequest))
	}
	path, err := absolute(host, name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxRequest))
}

// workingDir returns the folder that --cwd names, free of links.
func workingDir(host policy.Host, dir string) (string, error) {
	path, err := absolute(host, dir)
	if err != nil {
		return "", fmt.Errorf("flag --cwd: %w", err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &usageError{msg: fmt.Sprintf("flag --cwd: use %q: %v", path, cause(err)), hint: "name a folder that exists"}
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", &usageError{msg: fmt.Sprintf("flag --cwd: %q is not a folder", path), hint: "name a folder that exists"}
	}
	return real, nil
}

// cause is the operating system's part of an error that names its path already.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
