package classify

import "testing"

func TestDefaultTable(t *testing.T) {
	if _, err := DefaultTable(); err != nil {
		t.Fatal(err)
	}
}
