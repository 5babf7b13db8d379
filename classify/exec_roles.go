package classify

import "strings"

// judge adds to f what an argument in a role amounts to.
func (r *reader) judge(rl role, w word, at span, depth int, f *finding) {
	t := r.t
	switch rl {
	case roleText:
	case roleRead:
		if r.secret(w) {
			f.raise(Credential, f.program, " is given ", quote(w.text), ", which holds credentials")
		}
	case roleTree:
		if r.secret(w) || t.home(w.text) {
			f.raise(Credential, f.program, " takes all of ", quote(w.text), ", the credentials in it included")
		}
	case roleWrite, roleDestroy:
		r.judgeWrite(rl, w, f)
	case roleScript:
		r.scriptWord(w, w.at.span, depth+1)
	case roleCode:
		f.raise(Unknown, f.program, " runs code in another language, which is not read")
	case roleEnv:
		name, value, _ := strings.Cut(w.text, "=")
		r.environment(name, value, w, at, depth, f)
		if value == "" && t.secretName(name) {
			f.raise(Credential, f.program, " is given ", quote(name), ", a variable that holds a secret")
		}
	case roleConfig:
		if name, value, ok := strings.Cut(w.text, "="); ok {
			r.environment(strings.ToLower(name), value, w, at, depth, f)
		} else if name, value, ok := strings.Cut(w.text, " "); ok { // ssh takes both forms
			r.environment(strings.ToLower(name), value, w, at, depth, f)
		}
	case roleMount:
		source, _, _ := strings.Cut(w.text, ":")
		if strings.Contains(source, "=") { // type=bind,source=/etc,target=/x
			source = mountSource(w.text)
		}
		if source == "" || source[0] != '/' && source[0] != '~' {
			return
		}
		w.text = source
		r.judgeWrite(roleDestroy, w, f)
	case roleSetting:
		if strings.Contains(w.text, "=") {
			f.raise(Modify, f.program, " sets ", quote(w.text))
		}
	case roleMethod:
		switch strings.ToUpper(w.text) {
		case "GET", "HEAD", "OPTIONS":
		default:
			f.raise(Modify, f.program, " asks the server with ", quote(w.text))
		}
	case roleSed:
		r.sed(w, at, depth, f)
	case roleAwk:
		r.awk(w, at, depth, f)
	case roleSQL:
		r.sql(w, at, depth, f)
	}
}

// secret reports whether a word names credentials, in the folder that the script changed to as well.
func (r *reader) secret(w word) bool {
	return r.t.secret(w.text, w.glob) || r.folder != "" && r.t.secretPath(r.inFolder(w.text), w.glob)
}

// inFolder is a relative path seen from the folder that the script changed to; "" for every other.
func (r *reader) inFolder(path string) string {
	if r.folder == "" || path == "" || path[0] == '/' || path[0] == '~' || path[0] == '-' {
		return ""
	}
	return r.folder + "/" + path
}

func mountSource(s string) string {
	for field := range strings.SplitSeq(s, ",") {
		if name, value, _ := strings.Cut(field, "="); name == "source" || name == "src" {
			return value
		}
	}
	return ""
}

// judgeWrite judges a path that is written, overwritten or removed.
func (r *reader) judgeWrite(rl role, w word, f *finding) {
	t := r.t
	text := w.text
	if len(text) > 1 && w.dynamic && (text[0] == '/' || text[0] == '~') { // "/$x" is "/" when x is empty
		if bare := stripExpansions(text); bare != text && t.criticalTarget(bare, w.glob) {
			text = bare
		}
	}
	switch {
	case !t.writes(text):
	case strings.HasPrefix(text, "/dev/tcp/") || strings.HasPrefix(text, "/dev/udp/"):
		f.raise(Unknown, f.program, " opens a connection through ", quote(text))
	case rl == roleDestroy && (t.criticalTarget(text, w.glob) || t.criticalTarget(r.inFolder(text), w.glob)):
		f.raise(Critical, f.program, " overwrites or removes ", quote(w.text), ", which the system or a home depends on")
	case rl == roleWrite && (t.criticalWrite(text, w.glob) || t.criticalWrite(r.inFolder(text), w.glob)):
		f.raise(Critical, f.program, " writes to ", quote(w.text), ", which the system depends on")
	case r.secret(word{text: text, glob: w.glob}):
		f.raise(Credential, f.program, " writes to ", quote(w.text), ", which holds credentials")
	default:
		f.raise(Modify, f.program, " writes to ", quote(w.text))
	}
}

// environment judges a variable or setting given to a program.
func (r *reader) environment(name, value string, w word, at span, depth int, f *finding) {
	t := r.t
	if t.secret(value, false) {
		f.raise(Credential, quote(name), " names ", quote(value), ", which holds credentials")
	}
	if value == "" {
		return
	}
	switch t.variable(name) {
	case variableOpaque:
		f.raise(Unknown, quote(name), " makes programs load or run something else")
	case variableScript:
		w.text, w.at = strings.TrimPrefix(value, "!"), inexactly(w.at.span)
		r.scriptWord(w, w.at.span, depth+1)
	case variableSearch:
		for folder := range strings.SplitSeq(value, ":") {
			if folder != "$"+name && folder != "${"+name+"}" && !t.trustedProgram(folder+"/x") {
				f.raise(Unknown, quote(name), " takes programs from ", quote(folder))
			}
		}
	}
}

func (t *Table) variable(name string) variableKind {
	if v, ok := t.variables[name]; ok {
		return v.kind
	}
	for _, v := range t.shapes {
		if globMatchWhole(v.name, name) {
			return v.kind
		}
	}
	return 0
}

// secretName reports whether a variable of that name usually holds a secret.
func (t *Table) secretName(name string) bool {
	upper := strings.ToUpper(name)
	for _, shape := range t.secretVar {
		if globMatchWhole(shape, upper) {
			return true
		}
	}
	return false
}

// isName reports whether s is the name of a shell variable.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}
