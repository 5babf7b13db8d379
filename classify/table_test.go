package classify

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

// TestDefaultTable reads every line of the embedded table, which is otherwise read as programs are asked for.
func TestDefaultTable(t *testing.T) {
	table := builtin(t)
	if len(table.programs) < 1000 {
		t.Errorf("only %d programs", len(table.programs))
	}
	for name, p := range table.programs {
		if _, err := p.block.read(name); err != nil {
			t.Error(err)
		}
	}
}

func TestTableErrors(t *testing.T) {
	tests := []struct {
		name, text string
		line       int
		want       string
	}{
		{"keyword", "programm x observe", 1, `unknown keyword "programm"`},
		{"inner keyword", "program x observe\n  flags -f modify", 2, `unknown keyword "flags"`},
		{"capability", "program x\n\n# note\nprogram y harmful", 4, `"harmful"`},
		{"no argument", "program", 1, `"program" needs an argument`},
		{"twice", "program x observe\nprogram y,x observe", 2, `program "x" is defined twice`},
		{"sub twice", "program x observe\n  sub a,b use\n  sub b use", 3, `sub-command "x b" is defined twice`},
		{"option twice", "program x observe\n  flag -a use\n  opt -b,-a text", 3, `option "-a" is defined twice`},
		{"odd indentation", "program x observe\n   flag -a use", 2, "indent by two spaces"},
		{"tab", "program x observe\n\tflag -a use", 2, "indent by two spaces"},
		{"below nothing", "program x observe\n    flag -a use", 2, "indented below nothing"},
		{"first line indented", "  flag -a use", 1, "indented below nothing"},
		{"role", "program x observe\n  args read paths...", 2, `unknown role "paths..."`},
		{"two repeated", "program x observe\n  args read... text...", 2, `unknown role "text..."`},
		{"option without role", "program x observe\n  opt -o", 2, "needs a role"},
		{"option without dash", "program x observe\n  flag o use", 2, "does not begin with a dash"},
		{"rest", "program x observe\n  rest words", 2, "a rest line is"},
		{"rest count", "program x observe\n  rest argv many", 2, `"many" is not a number`},
		{"grammar", "program x observe grammar=lisp", 1, "grammar=lisp"},
		{"bare", "program x observe\n  bare nothing", 2, `unknown capability "nothing"`},
		{"open quote", "program x observe \"why", 1, "end with a quote"},
		{"after quote", "program x observe\n  flag -a use \"why\" more", 2, "last word"},
		{"pattern", "credential [", 1, "syntax error in pattern"},
		{"variable", "variable loud X", 1, "a variable line is"},
		{"arg", "program x observe\n  arg *", 2, "an operand rule is"},
		{"continued", "program x,\n  y observe\n  flag -a", 3, ""},
		{"after a continuation", "program x,\n  y observe\n  flag a use", 3, "dash"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := readAll("t.txt", test.text)
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var e *TableError
			if !errors.As(err, &e) || e.File != "t.txt" || e.Line != test.line || !strings.Contains(e.Msg, test.want) {
				t.Errorf("error %v, want t.txt:%d: …%s", err, test.line, test.want)
			}
		})
	}
}

func readAll(file, text string) error {
	table, err := newTable(file, text)
	if err != nil {
		return err
	}
	for _, name := range sortedKeys(table.programs) {
		if _, err := table.programs[name].block.read(name); err != nil {
			return err
		}
	}
	return nil
}

// FuzzTable: no text makes the reader of tables panic, and an error has a line of the text.
func FuzzTable(f *testing.F) {
	f.Add("program x,y observe grammar=env \"why\"\n  sub a,* use\n    flag -x? modify lower\n  opt -o,--out write # note\n  args read... write\n  rest argv 1\n")
	f.Add("credential .ssh *.pem /etc/x\nvariable script A B*\n# note\nharmless /dev/null")
	f.Fuzz(func(t *testing.T, text string) {
		var e *TableError
		if err := readAll("t", text); err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Line > 1+strings.Count(text, "\n")) {
			t.Errorf("error %v for %d lines", err, 1+strings.Count(text, "\n"))
		}
	})
}

// TestConcurrent: one table may be asked from everywhere at once, also for programs that nobody asked for before.
func TestConcurrent(t *testing.T) {
	table, err := newTable("commands.txt", commandsText)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, line := range []string{"git status", "docker ps", "rm -rf /etc", "cat .env | sudo tee x"} {
				if got, want := table.Command(line).Capability, Command(line).Capability; got != want {
					t.Errorf("%q is %s, want %s", line, got, want)
				}
			}
		})
	}
	wg.Wait()
}
