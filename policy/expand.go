package policy

import (
	"fmt"
	"strings"
)

// expander replaces variables in the text of a policy file.
type expander struct {
	home   string
	lookup func(name string) (value string, ok bool)
}

// expansion is a path with its variables replaced: what it says literally, and
// as a glob in which the values of variables stand for themselves.
type expansion struct {
	literal, pattern strings.Builder
	glob             bool
}

func (e *expansion) value(s string) {
	e.literal.WriteString(s)
	for i := range len(s) {
		e.char(s[i], strings.IndexByte(`*?[]{}\`, s[i]) >= 0)
	}
}

// char adds a byte to the pattern.
func (e *expansion) char(c byte, escape bool) {
	if escape {
		e.pattern.WriteByte('\\')
	}
	e.pattern.WriteByte(c)
}

// path expands "~" at the start, ${NAME}, ${NAME:-default} and $NAME; "$$" is a
// dollar sign and a backslash makes the next character stand for itself.
func (x expander) path(text string) (*expansion, error) {
	e := &expansion{}
	if err := x.expand(e, text, true); err != nil {
		return nil, err
	}
	if strings.HasPrefix(text, "$") && !strings.HasPrefix(e.literal.String(), "/") {
		return nil, fmt.Errorf("%q gives the relative path %q", clip(text, 200), clip(e.literal.String(), 200))
	}
	return e, nil
}

// text expands variables alone, as in the value of an environment variable.
func (x expander) text(text string) (string, error) {
	e := &expansion{}
	err := x.expand(e, text, false)
	return e.literal.String(), err
}

func (x expander) expand(e *expansion, text string, path bool) error {
	if path && (text == "~" || strings.HasPrefix(text, "~/")) {
		if x.home == "" {
			return fmt.Errorf(`"~": the home folder is not known`)
		}
		e.value(x.home)
		text = text[1:]
	} else if path && strings.HasPrefix(text, "~") {
		return fmt.Errorf(`%q: only "~" and "~/" are expanded; write the home folder of another user in full, or "./~" for a name`, clip(text, 200))
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '$':
			n, err := x.variable(e, text[i+1:], path)
			if err != nil {
				return err
			}
			i += n
		case c == '\\' && path:
			if i++; i == len(text) {
				return fmt.Errorf("%q ends in a backslash", clip(text, 200))
			}
			e.literal.WriteByte(text[i])
			e.char(text[i], true)
		default:
			e.glob = e.glob || path && strings.IndexByte("*?[{", c) >= 0
			e.literal.WriteByte(c)
			e.char(c, false)
		}
	}
	return nil
}

// variable expands what follows a dollar sign and returns its length.
func (x expander) variable(e *expansion, rest string, path bool) (int, error) {
	if strings.HasPrefix(rest, "$") {
		e.value("$")
		return 1, nil
	}
	if !strings.HasPrefix(rest, "{") {
		name := rest[:nameLength(rest)]
		if name == "" {
			return 0, fmt.Errorf(`a "$" without a name; write "$$" for a dollar sign`)
		}
		return len(name), x.replace(e, name, "", false, path)
	}
	end := closing(rest)
	if end < 0 {
		return 0, fmt.Errorf("%q has no closing brace", clip("$"+rest, 200))
	}
	name, fallback, has := strings.Cut(rest[1:end], ":-")
	if name == "" || nameLength(name) != len(name) {
		return 0, fmt.Errorf("%q is no variable", clip("$"+rest[:end+1], 200))
	}
	return end + 1, x.replace(e, name, fallback, has, path)
}

func (x expander) replace(e *expansion, name, fallback string, has, path bool) error {
	if value, ok := x.lookup(name); ok && value != "" {
		e.value(value)
		return nil
	}
	if has {
		return x.expand(e, fallback, path)
	}
	return &unsetError{name}
}

// unsetError is a variable that has no value.
type unsetError struct{ name string }

func (e *unsetError) Error() string {
	if repositoryVariable(e.name) {
		return fmt.Sprintf("${%s} is not known: the workspace is not a git repository; mark the entry optional", e.name)
	}
	return fmt.Sprintf("the variable %q is not set; set it, or write ${%s:-default}", e.name, e.name)
}

// closing returns the offset of the brace that closes the one text starts with.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func nameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}
