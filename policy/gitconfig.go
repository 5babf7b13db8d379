package policy

import "strings"

const maxGitConfig = 1 << 20

// hooksPaths returns where the repository keeps its hooks instead of in its git
// directory, as core.hooksPath of its config files says, made absolute. Files
// that those include are not read.
func (r *resolver) hooksPaths(top string, gitDirs []string) (paths []string) {
	for _, dir := range gitDirs {
		for _, name := range []string{"/config", "/config.worktree"} {
			text, err := r.fs.ReadFile(dir+name, maxGitConfig)
			if err != nil {
				continue
			}
			for _, value := range coreHooksPath(string(text)) {
				if rest, ok := strings.CutPrefix(value, "~/"); ok && r.h.Home != "" {
					value = r.h.Home + "/" + rest
				}
				if path, err := Abs(top, value); err == nil {
					paths = append(paths, path)
				}
			}
		}
	}
	return paths
}

// coreHooksPath returns every value that a git config file gives hooksPath in
// its [core] sections.
func coreHooksPath(text string) (values []string) {
	core := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section, rest, _ := strings.Cut(line[1:], "]")
			core = strings.EqualFold(strings.TrimSpace(section), "core")
			line = strings.TrimSpace(rest)
		}
		key, value, ok := strings.Cut(line, "=")
		if core && ok && strings.EqualFold(strings.TrimSpace(key), "hookspath") {
			values = append(values, gitValue(strings.TrimSpace(value)))
		}
	}
	return values
}

// gitValue takes quotes, escapes and a comment off a value.
func gitValue(s string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}
