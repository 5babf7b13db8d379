package policy

import (
	"embed"
	"slices"
	"strings"
)

//go:embed presets/*.jsonc
var presetFiles embed.FS

//go:embed starter.jsonc
var starter []byte

//go:embed schema.json
var schema []byte

// Presets returns the names of the built-in policies that a file can extend.
func Presets() []string {
	files, err := presetFiles.ReadDir("presets")
	if err != nil {
		return nil // the folder is part of the program
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".jsonc"))
	}
	return names
}

// Preset returns the text of a built-in policy, comments included.
func Preset(name string) ([]byte, error) {
	if !slices.Contains(Presets(), name) {
		return nil, unknownWord("preset", name, Presets())
	}
	return presetFiles.ReadFile("presets/" + name + ".jsonc")
}

// Starter returns a commented policy file to begin with.
func Starter() []byte { return slices.Clone(starter) }

// Schema returns the JSON Schema (2020-12) of policy files. It describes the
// document after comments and trailing commas are taken out.
func Schema() []byte { return slices.Clone(schema) }
