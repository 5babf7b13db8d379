package confine_test

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"confine/confine"
	"confine/confine/confinetest"
	"confine/policy"
)

// A folder that a program outside moves away takes its mount along, and nothing
// tells of it. What stands at the path afterwards is closed all the same, and so
// is a folder on the way to a carve-out.
func TestEscapeMovedAwayFromOutside(t *testing.T) {
	s := newScene(t, &hostTargets{})
	confinetest.WriteTree(t, s.ws, map[string]string{"a/sec/key": "SECRET\n"})
	d := s.defaults()
	d.Entries = append(d.Entries, policy.Entry{Path: s.ws + "/a/sec", Access: policy.Deny})
	script := `echo ready; read go; (echo PWN > .git/config) 2>/dev/null && echo WROTE; cat a/sec/key 2>/dev/null; mv a b 2>/dev/null && echo MOVED; cat plain`
	c := confine.Command(confinetest.Resolve(t, d, s.ws), "/bin/sh", "-c", script)
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdin, c.Stdout = in, w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	w.Close()
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".git", "a"} {
		if err := os.Rename(s.ws+"/"+name, s.dir+"/away-"+name[1:]); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(50 * time.Millisecond) // any event of the moves is over
	confinetest.WriteTree(t, s.ws, map[string]string{".git/config": "[core]\n", "a/sec/key": "SECRET\n", "plain": "seen\n"})
	time.Sleep(500 * time.Millisecond)
	if _, err := io.WriteString(feed, "go\n"); err != nil {
		t.Fatal(err)
	}
	feed.Close()
	text, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != "seen\n" { // the control: what is made outside during the run is seen inside
		t.Errorf("the command got %q", text)
	}
	if got, err := os.ReadFile(s.ws + "/.git/config"); err != nil || string(got) != "[core]\n" {
		t.Errorf(".git/config is %q, %v", got, err)
	}
	if len(report.Restored) < 3 || !strings.Contains(strings.Join(report.Restored, " "), "/a/sec") {
		t.Errorf("restored: %q", report.Restored)
	}
}
