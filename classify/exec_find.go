package classify

import "strings"

// find reads find [OPTIONS] [START…] [EXPRESSION]: -exec and -delete act on what lies below the starts.
func (v *invocation) find() {
	r, words := v.r, v.words
	var starts, names []word
	i := 1
	for ; i < len(words); i++ {
		s := words[i].text
		if s == "-H" || s == "-L" || s == "-P" || strings.HasPrefix(s, "-O") {
			continue
		}
		if s == "(" || s == "!" || s == "," || strings.HasPrefix(s, "-") {
			break
		}
		starts = append(starts, words[i])
		r.judge(roleRead, words[i], v.at, v.depth, &v.f)
	}
	if len(starts) == 0 {
		starts = literal(v.at, ".")
	}
	expression := words[i:]
	for k := 0; k+1 < len(expression); k++ {
		switch expression[k].text {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename":
			names = append(names, expression[k+1])
		}
	}
	targets := findTargets(starts, names)
	for k := 0; k < len(expression); k++ {
		k += v.predicate(expression, k, targets)
	}
	v.f.raise(v.cmd.base, sentence(v.cmd.name, v.cmd.base, v.cmd.why))
	r.add(v.f.cap, v.f.program, v.f.reason, words, v.at)
}

// findTargets are the paths that {} may stand for: each start, with each name that is asked for below it.
func findTargets(starts, names []word) []word {
	if len(names) == 0 {
		return starts
	}
	var out []word
	for _, s := range starts {
		for _, n := range names {
			if len(out) >= maxArgv {
				return out
			}
			out = append(out, word{text: s.text + "/" + strings.TrimPrefix(n.text, s.text), at: inexactly(s.at.span), dynamic: s.dynamic || n.dynamic, glob: literals(n.text) > 3})
		}
	}
	return out
}

// predicate judges the predicate at expression[k] and returns the number of words it took after it.
func (v *invocation) predicate(expression []word, k int, targets []word) int {
	r := v.r
	next := func(n int) word {
		if k+n < len(expression) {
			return expression[k+n]
		}
		return word{}
	}
	switch s := expression[k].text; s {
	case "-delete":
		v.f.raise(Modify, "find -delete removes files")
		for _, w := range targets {
			r.judge(roleDestroy, w, v.at, v.depth, &v.f)
		}
	case "-exec", "-execdir", "-ok", "-okdir":
		end := k + 1
		for end < len(expression) && !endsExec(expression, end) {
			end++
		}
		inner := substitute(expression[k+1:end], "{}", targets)
		if len(inner) > 0 {
			at := span{expression[k].at.start, expression[end-1].at.end}
			r.simple(inner, at, v.depth+1)
		}
		return end - k
	case "-fprint", "-fprint0", "-fls":
		r.judge(roleDestroy, next(1), v.at, v.depth, &v.f)
		return 1
	case "-fprintf":
		r.judge(roleDestroy, next(1), v.at, v.depth, &v.f)
		return 2
	case "-newer", "-anewer", "-cnewer", "-samefile", "-files0-from":
		r.judge(roleRead, next(1), v.at, v.depth, &v.f)
		return 1
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname", "-type", "-xtype",
		"-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-user", "-group", "-uid", "-gid", "-perm", "-maxdepth",
		"-mindepth", "-fstype", "-printf", "-inum", "-links", "-used", "-regextype", "-context", "-D":
		return 1
	}
	return 0
}

func endsExec(words []word, i int) bool {
	s := words[i].text
	return s == ";" || s == `\;` || s == "+" && words[i-1].text == "{}"
}
