package policy

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func TestApprovalOpensWhatItNames(t *testing.T) {
	a := Approve(Grant{Entries: []Entry{{Path: "/home/u/.netrc", Access: Read}, {Path: "/home/u/data", Access: Write}, {Path: "/srv/app.sock", Access: Read}}})
	p := resolve(t, Request{Entries: []Entry{{Path: "/home/u", Access: Deny}}, Approval: a}, Defaults{})
	for path, want := range map[string]Access{
		"/home/u": Deny, "/home/u/.ssh": Deny, "/home/u/.netrc": Read, "/home/u/data/x": Write, "/home/u/data/.git/config": Read, "/srv/app.sock": Read,
	} {
		if got := GrantLayers(p).AccessFor(path); got != want {
			t.Errorf("AccessFor(%q) = %s, want %s", path, got, want)
		}
	}
	if p.Mode() != ReadOnly {
		t.Errorf("an approval of entries made the mode %s", p.Mode())
	}
}

func TestApprovalsAreSpentOnce(t *testing.T) {
	h, f := testHost()
	once, session := Approve(Grant{Mode: WorkspaceWrite}), Approve(Grant{Mode: WorkspaceWrite, Scope: ScopeSession})
	bad := Request{Approval: once, Entries: []Entry{{Path: "/missing", Access: Deny}}}
	if _, err := Resolve(bad, Defaults{}, h, f); err == nil || errors.Is(err, ErrApprovalSpent) {
		t.Fatalf("the bad request gave %v", err)
	}
	if _, err := Resolve(Request{Approval: once}, Defaults{}, h, f); err != nil {
		t.Fatalf("the bad request burned the approval: %v", err)
	}
	if _, err := Resolve(Request{Approval: once}, Defaults{}, h, f); !errors.Is(err, ErrApprovalSpent) {
		t.Errorf("the second use gave %v", err)
	}
	for range 3 {
		if _, err := Resolve(Request{Approval: session}, Defaults{}, h, f); err != nil {
			t.Error(err)
		}
	}
}

func TestOneOfManyWinsAnApproval(t *testing.T) {
	h, f := testHost()
	for range 200 {
		a := Approve(Grant{Mode: WorkspaceWrite})
		var wins atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if _, err := Resolve(Request{Approval: a}, Defaults{}, h, f); err == nil {
					wins.Add(1)
				} else if !errors.Is(err, ErrApprovalSpent) {
					t.Error(err)
				}
			})
		}
		if all.Wait(); wins.Load() != 1 {
			t.Fatalf("%d calls won", wins.Load())
		}
	}
}

func TestApprovalsThatWereNotMinted(t *testing.T) {
	h, f := testHost()
	minted := Approve(Grant{Mode: DangerFullAccess})
	decoded := new(Approval)
	//lint:ignore SA9005 that nothing can be decoded into an approval is what this shows
	if err := json.Unmarshal([]byte(`{"approved":true,"grant":{"mode":"danger-full-access"},"Grant":{}}`), decoded); err != nil {
		t.Fatal(err)
	}
	copied := new(Approval)
	copied.self, copied.grant = minted.self, minted.grant
	for name, a := range map[string]*Approval{"zero": new(Approval), "decoded": decoded, "copied": copied} {
		p, err := Resolve(Request{Approval: a}, Defaults{}, h, f)
		if !errors.Is(err, ErrApprovalForged) || p.Valid() == nil {
			t.Errorf("a %s approval gave %v", name, err)
		}
	}
	if _, err := Resolve(Request{Approval: minted}, Defaults{}, h, f); err != nil {
		t.Errorf("the forgeries spent the original: %v", err)
	}
}

func TestApprovalsExpire(t *testing.T) {
	h, f := testHost()
	a := Approve(Grant{Mode: WorkspaceWrite, Expires: noon})
	for now, want := range map[time.Time]error{noon: ErrApprovalExpired, noon.Add(time.Hour): ErrApprovalExpired} {
		h.Now = now
		if _, err := Resolve(Request{Approval: a}, Defaults{}, h, f); !errors.Is(err, want) {
			t.Errorf("at %s: %v", now, err)
		}
	}
	h.Now = time.Time{}
	if _, err := Resolve(Request{Approval: a}, Defaults{}, h, f); err == nil || errors.Is(err, ErrApprovalExpired) {
		t.Errorf("without a clock: %v", err)
	}
	h.Now = noon.Add(-time.Second)
	if _, err := Resolve(Request{Approval: a}, Defaults{}, h, f); err != nil {
		t.Error(err)
	}
	h.Now = noon
	if _, err := Resolve(Request{Approval: a}, Defaults{}, h, f); !errors.Is(err, ErrApprovalExpired) {
		t.Errorf("expired and spent: %v", err)
	}
}

func TestTokens(t *testing.T) {
	key := []byte(strings.Repeat("k", TokenKeySize))
	req := Request{Mode: ReadOnly}
	claims := Claims{
		ID: "7f", Request: req.Digest(), Issued: noon,
		Grant: Grant{Network: ReachLoopback, Entries: []Entry{{Path: "/home/u/data", Access: Write}}, Expires: noon.Add(10 * time.Minute)},
	}
	token, err := claims.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := claims.Sign(key); again != token || err != nil {
		t.Errorf("signing again gave another token, %v", err)
	}
	other, err := Claims{ID: "8f", Grant: Grant{Mode: DangerFullAccess, Expires: noon.Add(time.Hour)}}.Sign([]byte(strings.Repeat("x", TokenKeySize)))
	if err != nil {
		t.Fatal(err)
	}
	payload, mac, _ := strings.Cut(strings.TrimPrefix(token, tokenPrefix), ".")
	otherPayload, _, _ := strings.Cut(strings.TrimPrefix(other, tokenPrefix), ".")
	for _, test := range []struct {
		name, token, request string
		key                  []byte
		now                  time.Time
		want                 error
	}{
		{"good", token, req.Digest(), key, noon, nil},
		{"last second", token, req.Digest(), key, noon.Add(10*time.Minute - 1), nil},
		{"expired", token, req.Digest(), key, noon.Add(10 * time.Minute), ErrApprovalExpired},
		{"no clock", token, req.Digest(), key, time.Time{}, ErrApprovalExpired},
		{"other request", token, Request{}.Digest(), key, noon, ErrApprovalMismatch},
		{"no request", token, "", key, noon, ErrApprovalMismatch},
		{"expired and for another request", token, "", key, noon.Add(time.Hour), ErrApprovalExpired},
		{"other key", other, "", key, noon, ErrApprovalForged},
		{"no key", token, req.Digest(), nil, noon, ErrApprovalForged},
		{"other claims under the signature", tokenPrefix + otherPayload + "." + mac, req.Digest(), key, noon, ErrApprovalForged},
		{"signature cut", token[:len(token)-2], req.Digest(), key, noon, ErrApprovalForged},
		{"padded", token + "=", req.Digest(), key, noon, ErrApprovalForged},
		{"line end", token + "\n", req.Digest(), key, noon, ErrApprovalForged},
		{"other version", "confine2." + payload + "." + mac, req.Digest(), key, noon, ErrApprovalForged},
		{"no signature", tokenPrefix + payload, req.Digest(), key, noon, ErrApprovalForged},
		{"empty", "", "", key, noon, ErrApprovalForged},
		{"huge", tokenPrefix + strings.Repeat("A", 1<<20) + "." + mac, "", key, noon, ErrApprovalForged},
	} {
		got, err := Verify(test.token, test.key, test.now, test.request)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if (err == nil) != (test.want == nil) || err != nil && got.ID != "" {
			t.Errorf("%s: %v with the claims %v", test.name, err, got)
		}
	}
	for i := range len(token) {
		altered := token[:i] + string(token[i]^1) + token[i+1:]
		if _, err := Verify(altered, key, noon, req.Digest()); !errors.Is(err, ErrApprovalForged) {
			t.Fatalf("with byte %d altered: %v", i, err)
		}
	}
	for name, bad := range map[string]Claims{
		"no id": {Grant: claims.Grant}, "no end": {ID: "1"}, "bad word": {ID: "1", Grant: Grant{Mode: 9, Expires: noon}},
	} {
		if _, err := bad.Sign(key); err == nil {
			t.Errorf("claims with %s were signed", name)
		}
	}
	if _, err := claims.Sign(key[1:]); err == nil {
		t.Error("a short key was used")
	}
}

func TestTokensAreSpentByTheRecorder(t *testing.T) {
	h, f := testHost()
	h.Now = noon
	claims := Claims{ID: "1", Grant: Grant{Mode: WorkspaceWrite, Scope: ScopeOnce, Expires: noon.Add(time.Hour)}}
	spent := 0
	if _, err := Resolve(Request{Approval: claims.Approve(func() error { spent++; return nil }), Entries: []Entry{{Path: "relative", Access: Deny}}}, Defaults{}, h, f); err == nil || spent != 0 {
		t.Errorf("a bad request spent the token: %d, %v", spent, err)
	}
	if _, err := Resolve(Request{Approval: claims.Approve(func() error { spent++; return nil })}, Defaults{}, h, f); err != nil || spent != 1 {
		t.Errorf("%v, spent %d times", err, spent)
	}
	for _, cause := range []error{ErrApprovalSpent, errors.New("disk full")} {
		p, err := Resolve(Request{Approval: claims.Approve(func() error { return cause })}, Defaults{}, h, f)
		if !errors.Is(err, cause) || p.Valid() == nil {
			t.Errorf("the recorder said %v, Resolve %v", cause, err)
		}
	}
}

// No text but a signed one is believed, and none makes verifying fail otherwise.
func FuzzVerify(f *testing.F) {
	key := []byte(strings.Repeat("k", TokenKeySize))
	token, err := Claims{ID: "1", Grant: Grant{Mode: WorkspaceWrite, Expires: noon.Add(time.Hour)}}.Sign(key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(token)
	f.Add(tokenPrefix + "e30.AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Verify(text, key, noon, ""); (err == nil) != (text == token) || err != nil && !errors.Is(err, ErrApprovalForged) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
