package policy

import "strings"

// The variables that policy files have beside the environment's. GIT_DIR and
// GIT_COMMON_DIR are those of the repository whose top folder is the workspace.
const (
	varWorkspace = "WORKSPACE"
	varHome      = "HOME"
	varGitDir    = "GIT_DIR"
	varGitCommon = "GIT_COMMON_DIR"
)

func repositoryVariable(name string) bool { return name == varGitDir || name == varGitCommon }

// repository returns the git directory of a work tree and the common directory
// behind it. A .git that is a file can claim any folder of the host, so what it
// names must look like a git directory and point back.
func (w *walker) repository(top string) (dir, common string, ok bool) {
	at, found := w.find(top + "/.git")
	if !found || at.absent || at.barred {
		return "", "", false
	}
	if at.kind == KindDir {
		return at.path, at.path, w.isGitDir(at.path)
	}
	dirs := w.gitDirs(at.path, top)
	switch {
	case len(dirs) == 2: // a linked worktree
		dir, common = dirs[0], dirs[1]
		back, err := w.fs.ReadFile(dir+"/gitdir", MaxPath)
		if err != nil || parent(dir) != common+"/worktrees" {
			return "", "", false
		}
		path, err := Abs(dir, strings.TrimSpace(string(back)))
		if err != nil {
			return "", "", false
		}
		claimed, found := w.find(path)
		return dir, common, found && claimed.path == at.path && w.isGitDir(common)
	case len(dirs) == 1: // a submodule
		super, _, within := strings.Cut(dirs[0], "/.git/modules/")
		return dirs[0], dirs[0], within && Contains(super, top) && w.isGitDir(dirs[0])
	}
	return "", "", false
}

func (w *walker) isGitDir(dir string) bool {
	is := func(name string, kind Kind) bool {
		info, err := w.lstat(dir + "/" + name)
		return err == nil && info.Kind == kind
	}
	return is("HEAD", KindFile) && is("objects", KindDir) && is("refs", KindDir)
}
