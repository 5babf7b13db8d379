package policy

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tailscale/hujson"
)

func readSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// The schema has the keys, words and types of the Go types, no more and no less.
func TestSchemaEqualsTheTypes(t *testing.T) {
	s := readSchema(t)
	compareType(t, "", reflect.TypeFor[document](), s)
	if !slices.Equal(s.Required, []string{"version"}) || s.Schema != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("required is %q, the dialect %q", s.Required, s.Schema)
	}
}

func compareType(t *testing.T, at string, typ reflect.Type, s *jsonschema.Schema) {
	t.Helper()
	switch v := reflect.New(typ).Elem().Interface().(type) {
	case Mode, Access, Reach, Baseline, Absent, Tmp, Runtime:
		words := map[reflect.Type]vocabulary{
			reflect.TypeFor[Mode](): modeWords, reflect.TypeFor[Access](): accessWords, reflect.TypeFor[Reach](): reachWords,
			reflect.TypeFor[Baseline](): baselineWords, reflect.TypeFor[Absent](): absentWords, reflect.TypeFor[Tmp](): tmpWords, reflect.TypeFor[Runtime](): runtimeWords,
		}[reflect.TypeOf(v)].words
		var enum []string
		for _, w := range s.Enum {
			enum = append(enum, w.(string))
		}
		if diff := cmp.Diff(words, enum); diff != "" {
			t.Errorf("%s: %s", at, diff)
		}
		return
	case docDuration:
		if s.Ref != "#/$defs/duration" {
			t.Errorf("%s is no duration", at)
		}
		return
	case docSize:
		if s.Ref != "#/$defs/size" {
			t.Errorf("%s is no size", at)
		}
		return
	}
	want := map[reflect.Kind]string{
		reflect.Struct: "object", reflect.Map: "object", reflect.Slice: "array", reflect.String: "string", reflect.Bool: "boolean", reflect.Int64: "integer",
	}
	switch {
	case at == ".version":
	case at == ".classify" || at == ".code":
		if s.Type != "object" || s.AdditionalProperties != nil {
			t.Errorf("%s is not a free object", at)
		}
	case typ.Kind() == reflect.Pointer:
		compareType(t, at, typ.Elem(), s)
	case s.Type != want[typ.Kind()]:
		t.Errorf("%s is %q, the Go type is %s", at, s.Type, typ)
	case typ.Kind() == reflect.Slice:
		compareType(t, at+"[]", typ.Elem(), s.Items)
	case typ.Kind() == reflect.Struct:
		if s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil {
			t.Errorf("%s lets unknown keys through", at)
		}
		if diff := cmp.Diff(sorted(fieldNames(typ)), sorted(keys(s.Properties))); diff != "" {
			t.Errorf("%s: %s", at, diff)
		}
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if property := s.Properties[name]; property != nil {
				compareType(t, at+"."+name, typ.Field(i).Type, property)
			}
		}
	}
}

func keys[V any](m map[string]V) (names []string) {
	for k := range m {
		names = append(names, k)
	}
	return names
}

func sorted(s []string) []string { slices.Sort(s); return s }

// Presets and good documents are valid under the schema, bad ones are not.
func TestSchemaJudgesAsTheParser(t *testing.T) {
	schema, err := readSchema(t).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text []byte) error {
		plain, err := hujson.Standardize(slices.Clone(text))
		if err != nil {
			return err
		}
		var value any
		if err := json.Unmarshal(plain, &value); err != nil {
			return err
		}
		return schema.Validate(value)
	}
	for _, name := range Presets() {
		text, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(text); err != nil {
			t.Errorf("preset %s: %v", name, err)
		}
	}
	if err := validate(Starter()); err != nil {
		t.Error(err)
	}
	for _, test := range badDocuments {
		if test.pointer == "" || strings.HasPrefix(test.name, "duplicate") {
			continue // no schema can see how the text is written
		}
		if validate([]byte(test.text)) == nil {
			t.Errorf("%s is valid under the schema", test.name)
		}
	}
}
