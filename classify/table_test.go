package classify

import "testing"

// TestDefaultTable reads every line of the embedded table, which is otherwise read as programs are asked for.
func TestDefaultTable(t *testing.T) {
	table, err := DefaultTable()
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range table.programs {
		if _, err := p.block.read(name); err != nil {
			t.Error(err)
		}
	}
}
