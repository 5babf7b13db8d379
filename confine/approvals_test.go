package confine

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"confine/policy"
)

func grant(now time.Time) policy.Grant {
	return policy.Grant{Mode: policy.WorkspaceWrite, Expires: now.Add(time.Minute)}
}

// resolveWith spends the approval the way every run does.
func resolveWith(a *policy.Approval, now time.Time) error {
	tree := policy.NewMemFS("/work")
	_, err := policy.Resolve(policy.Request{Approval: a}, policy.Defaults{Workspace: "/work"}, policy.Host{Cwd: "/work", Now: now}, tree)
	return err
}

func TestApprovalIsSpentOnce(t *testing.T) {
	now := time.Now()
	store := OpenApprovals(filepath.Join(t.TempDir(), "state"))
	token, _, err := store.Mint(grant(now), "", now)
	if err != nil {
		t.Fatal(err)
	}
	first, err := store.Redeem(token, "", now)
	if err != nil {
		t.Fatal(err)
	}
	second, err := store.Redeem(token, "", now) // verified before either is spent
	if err != nil {
		t.Fatal(err)
	}
	if err := resolveWith(first, now); err != nil {
		t.Fatalf("first use: %v", err)
	}
	if err := resolveWith(second, now); !errors.Is(err, policy.ErrApprovalSpent) {
		t.Errorf("second use: %v, want spent", err)
	}
	if _, err := store.Redeem(token, "", now); !errors.Is(err, policy.ErrApprovalSpent) {
		t.Errorf("third use: %v, want spent", err)
	}
	info, err := os.Stat(filepath.Join(store.dir, "approval.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key: %v, %v; want mode 0600", info.Mode(), err)
	}
}

func TestApprovalRefusals(t *testing.T) {
	now := time.Now()
	store := OpenApprovals(filepath.Join(t.TempDir(), "state"))
	token, _, err := store.Mint(grant(now), "digest", now)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := OpenApprovals(filepath.Join(t.TempDir(), "state")).Mint(grant(now), "digest", now)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, token, request string
		at                   time.Time
		want                 error
	}{
		{"altered", token[:len(token)-2] + "AA", "digest", now, policy.ErrApprovalForged},
		{"other key", other, "digest", now, policy.ErrApprovalForged},
		{"json", `{"approved":true}`, "digest", now, policy.ErrApprovalForged},
		{"empty", "", "digest", now, policy.ErrApprovalForged},
		{"expired", token, "digest", now.Add(time.Hour), policy.ErrApprovalExpired},
		{"other request", token, "another", now, policy.ErrApprovalMismatch},
	} {
		if _, err := store.Redeem(tt.token, tt.request, tt.at); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if _, err := store.Redeem(token, "digest", now); err != nil {
		t.Errorf("the refusals burnt the token: %v", err)
	}
	if err := os.Chmod(filepath.Join(store.dir, "approval.key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Redeem(token, "digest", now); err == nil {
		t.Error("a key that others can read was used")
	}
}

func TestSpentRecordsArePruned(t *testing.T) {
	now := time.Now()
	store := OpenApprovals(filepath.Join(t.TempDir(), "state"))
	use := func(at time.Time) string {
		token, claims, err := store.Mint(grant(at), "", at)
		if err != nil {
			t.Fatal(err)
		}
		a, err := store.Redeem(token, "", at)
		if err != nil {
			t.Fatal(err)
		}
		if err := resolveWith(a, at); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(store.dir, "spent", claims.ID)
	}
	old := use(now.Add(-48 * time.Hour))
	recent := use(now)
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old record is still there: %v", err)
	}
	if _, err := os.Stat(recent); err != nil {
		t.Errorf("the recent record is gone: %v", err)
	}
}

// Processes race for one token, round after round; each round has one winner.
func TestApprovalRaceBetweenProcesses(t *testing.T) {
	const racers, rounds = 4, 1000
	if dir := os.Getenv("CONFINE_RACE_DIR"); dir != "" {
		raceForApprovals(dir)
		os.Exit(0) // no second run as another user
	}
	now := time.Now()
	store := OpenApprovals(filepath.Join(t.TempDir(), "state"))
	var tokens []string
	for range rounds {
		token, _, err := store.Mint(grant(now), "", now)
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	if err := os.WriteFile(filepath.Join(store.dir, "tokens"), []byte(strings.Join(tokens, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	var started []*exec.Cmd
	var outputs [racers]strings.Builder
	for i := range racers {
		c := exec.Command("/proc/self/exe", "-test.run=^TestApprovalRaceBetweenProcesses$")
		c.Env = append(os.Environ(), "CONFINE_RACE_DIR="+store.dir)
		c.Stdout = &outputs[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		started = append(started, c)
	}
	won := map[string]int{}
	losses := 0
	for i, c := range started {
		if err := c.Wait(); err != nil {
			t.Fatalf("racer: %v\n%s", err, outputs[i].String())
		}
		for line := range strings.Lines(outputs[i].String()) {
			if token, ok := strings.CutPrefix(line, "won "); ok {
				won[token]++
			} else if strings.HasPrefix(line, "lost") {
				losses++
			}
		}
	}
	for token, n := range won {
		if n != 1 {
			t.Errorf("%d winners for one token %.20s", n, token)
		}
	}
	if len(won) != rounds || losses != rounds*(racers-1) {
		t.Errorf("%d tokens won and %d attempts lost, want %d and %d", len(won), losses, rounds, rounds*(racers-1))
	}
}

func raceForApprovals(dir string) {
	text, err := os.ReadFile(filepath.Join(dir, "tokens"))
	if err != nil {
		panic(err)
	}
	now := time.Now()
	store := OpenApprovals(dir)
	for _, token := range strings.Split(string(text), "\n") {
		a, err := store.Redeem(token, "", now)
		if err == nil {
			err = resolveWith(a, now)
		}
		switch {
		case err == nil:
			os.Stdout.WriteString("won " + token + "\n")
		case errors.Is(err, policy.ErrApprovalSpent):
			os.Stdout.WriteString("lost\n")
		default:
			panic(err)
		}
	}
}
