package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Digest identifies what was decided: the hexadecimal SHA-256 of a canonical
// JSON form of everything that has an effect, values of environment variables
// included. Two policies with the same digest enforce the same.
func (p Policy) Digest() string {
	v := p.view()
	for i := range v.Layers {
		v.Layers[i].Source = ""
	}
	text, err := json.Marshal(struct {
		view
		Values map[string]string
	}{v, p.get().env.Set})
	if err != nil {
		return "" // only for the zero Policy, whose words are unset
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// MarshalJSON writes the resolved view for reports and explanations. It names
// the environment variables that are set but not their values.
func (p Policy) MarshalJSON() ([]byte, error) {
	if err := p.Valid(); err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		view
		Capped  []Capping `json:"capped,omitempty"`
		Skipped []Entry   `json:"skipped,omitempty"`
		Files   []string  `json:"files,omitempty"`
		Digest  string    `json:"digest"`
	}{p.view(), p.capped, p.skipped, p.get().files, p.Digest()})
}

type view struct {
	Mode      Mode        `json:"mode"`
	Network   Reach       `json:"network"`
	Baseline  Baseline    `json:"baseline"`
	Tmp       Tmp         `json:"tmp"`
	Runtime   Runtime     `json:"runtime"`
	Absent    Absent      `json:"absent"`
	Hardening bool        `json:"hardening"`
	Workspace string      `json:"workspace,omitempty"`
	Cwd       string      `json:"cwd,omitempty"`
	Layers    []Layer     `json:"layers"`
	Links     []Link      `json:"links,omitempty"`
	Env       envView     `json:"env"`
	Limits    limitsView  `json:"limits"`
	Seccomp   seccompView `json:"seccomp"`
}

type envView struct {
	Pass []string `json:"pass,omitempty"`
	Set  []string `json:"set,omitempty"`
	All  bool     `json:"all,omitempty"`
}

type limitsView struct {
	Wall      string `json:"wall,omitempty"`
	CPU       string `json:"cpu,omitempty"`
	Memory    int64  `json:"memory,omitempty"`
	FileSize  int64  `json:"file_size,omitempty"`
	Output    int64  `json:"output,omitempty"`
	Tmp       int64  `json:"tmp,omitempty"`
	Processes int64  `json:"processes,omitempty"`
	OpenFiles int64  `json:"open_files,omitempty"`
}

type seccompView struct {
	Preset string   `json:"preset,omitempty"`
	Allow  []string `json:"allow,omitempty"`
	Deny   []string `json:"deny,omitempty"`
}

func (p Policy) view() view {
	f := p.get()
	l := f.limits
	return view{
		Mode: p.mode, Network: p.network, Baseline: f.baseline, Tmp: p.tmp, Runtime: f.runtime, Absent: f.absent,
		Hardening: f.hardening, Workspace: f.workspace.Path, Cwd: f.cwd,
		Layers: p.layers.All(), Links: p.links,
		Env: envView{f.env.Pass, slices.Sorted(maps.Keys(f.env.Set)), f.env.All},
		Limits: limitsView{
			duration(l.Wall), duration(l.CPU), l.Memory, l.FileSize, l.Output, l.Tmp, l.Processes, l.OpenFiles,
		},
		Seccomp: seccompView{f.seccomp.Preset, f.seccomp.Allow, f.seccomp.Deny},
	}
}

func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}
