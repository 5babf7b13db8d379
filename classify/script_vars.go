package classify

import "strconv"

// maxValues bounds the values that are remembered for one variable; with more it counts as not known.
const maxValues = 32

// variableValue is what a variable of the script may hold, by what the script says about it.
type variableValue struct {
	words []word
	list  bool // all at once, as "$@" and arrays; else one of them
}

// set records the values of a variable. Reading is not following: a loop or branch may set it again, so values add up.
func (r *reader) set(name string, values []word) {
	if len(values) > maxValues {
		r.unset(name)
		return
	}
	if r.vars == nil {
		r.vars = map[string]*variableValue{}
	}
	r.vars[name] = &variableValue{words: values}
}

// unset forgets a variable: its value is not known from here on.
func (r *reader) unset(name string) { delete(r.vars, name) }

// positional are the parameters of a shell or function called with args, args[0] being $0.
func positional(args []word) map[string]*variableValue {
	vars := map[string]*variableValue{}
	for i, w := range args {
		if i < 10 {
			vars[strconv.Itoa(i)] = &variableValue{words: []word{w}}
		}
	}
	if len(args) > 1 {
		all := &variableValue{words: args[1:], list: true}
		vars["@"], vars["*"] = all, all
	}
	return vars
}

func withoutPositional(vars map[string]*variableValue) map[string]*variableValue {
	out := make(map[string]*variableValue, len(vars))
	for name, v := range vars {
		if c := name[0]; c != '@' && c != '*' && (c < '0' || c > '9') {
			out[name] = v
		}
	}
	return out
}
