package confine

import (
	"slices"
	"strings"

	"confine/policy"
)

// passedEnv are the variables that a command gets from the caller unless the
// policy says otherwise: what programs need to find files, a terminal, a
// language and a time zone. LC_* is passed too.
var passedEnv = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TERMINFO", "TERM_PROGRAM", "COLORTERM",
	"COLUMNS", "LINES", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI", "EDITOR", "VISUAL", "PAGER",
	"LESS", "LS_COLORS", "SOURCE_DATE_EPOCH", "DEBIAN_FRONTEND", "MAKEFLAGS", "MAKELEVEL", "MFLAGS",
}

// secretWords mark a variable name as secret-shaped; such variables are not
// inherited even by --env-all. Names lie, so this is an addition to the
// allow-list and no replacement.
var secretWords = []string{
	"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL",
	"AUTH", "COOKIE", "SESSION", "DSN", "DATABASE_URL", "CONNECTION_STRING", "SIGNING", "ENCRYPTION", "_PAT", "_KEY", "WEBHOOK",
}

func secretShaped(name, value string) bool {
	upper := strings.ToUpper(name)
	if slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(upper, w) }) {
		return true
	}
	_, rest, isURL := strings.Cut(value, "://")
	userinfo, _, found := strings.Cut(rest, "@")
	return isURL && found && !strings.ContainsAny(userinfo, "/ ")
}

// environment is what the target gets, and the names that it does not get.
type environment struct {
	Vars    []string
	Dropped []string // sorted names, never values
}

// environ applies the rules to the caller's variables. The last of several
// values wins, as in os/exec. Set wins over everything but the CONFINE names,
// which always tell the truth.
func environ(caller []string, rules policy.EnvRules, own map[string]string) environment {
	values, dropped := map[string]string{}, map[string]bool{}
	for _, kv := range caller {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" || strings.HasPrefix(name, "CONFINE") {
			continue
		}
		pass := slices.Contains(passedEnv, name) || strings.HasPrefix(name, "LC_") || slices.Contains(rules.Pass, name) ||
			rules.All && !secretShaped(name, value)
		if !pass {
			dropped[name] = true
			continue
		}
		values[name] = value
	}
	for name, value := range rules.Set {
		values[name] = value
		delete(dropped, name)
	}
	for name, value := range own {
		_, set := rules.Set[name]
		if value == "" && !set {
			delete(values, name)
		} else if !set || strings.HasPrefix(name, "CONFINE") {
			values[name] = value
		}
		delete(dropped, name)
	}
	if _, ok := values["PATH"]; !ok {
		values["PATH"] = "/usr/local/bin:/usr/bin:/bin"
	}
	env := environment{}
	for name, value := range values {
		env.Vars = append(env.Vars, name+"="+value)
	}
	slices.Sort(env.Vars)
	for name := range dropped {
		env.Dropped = append(env.Dropped, name)
	}
	slices.Sort(env.Dropped)
	return env
}

func (e environment) get(name string) string {
	for _, kv := range e.Vars {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			return v
		}
	}
	return ""
}

// ownEnv are the variables that confine itself decides. An empty value removes one.
func ownEnv(p policy.Policy, runID, cwd string) map[string]string {
	own := map[string]string{"CONFINE": "1", "CONFINE_MODE": p.Mode().String(), "CONFINE_RUN_ID": runID, "PWD": cwd}
	switch p.Tmp() {
	case policy.TmpPrivate:
		own["TMPDIR"], own["TMPPREFIX"] = "/tmp", "/tmp/zsh" // zsh keeps here-documents at TMPPREFIX
	case policy.TmpNone:
		own["TMPDIR"], own["TMPPREFIX"] = "", ""
	}
	return own
}
