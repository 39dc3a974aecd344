package scenariotest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"starling/scenarios"
	"starling/scenarios/document"
)

// SchemaFile is the name of the schema beside the library, to which its scenarios refer.
const SchemaFile = "scenario.schema.json"

// SchemaText returns the schema of the catalog, which `starling schema` prints.
func SchemaText(t testing.TB) []byte {
	t.Helper()
	text, err := scenarios.Schema()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Schema returns the catalog's schema as read by an independent validator. The validator is no
// part of the program. Where it and the loader disagree about a file, one of the two is wrong,
// and tests compare them.
func Schema(t testing.TB) *validator.Schema {
	t.Helper()
	schema, err := validator.UnmarshalJSON(bytes.NewReader(SchemaText(t)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := validator.NewCompiler()
	if err := compiler.AddResource(SchemaFile, schema); err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile(SchemaFile)
}

// Refused returns the schema's error for a scenario. It is nil where the schema accepts the
// text. Text that is no YAML ends the test.
func Refused(t testing.TB, schema *validator.Schema, text string) error {
	t.Helper()
	doc, err := document.Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return schema.Validate(Plain(doc.Root()))
}

// Plain returns a node as the YAML reader of an editor has it. Numbers keep their text, so
// that no rounding hides a bound that is crossed by a digit.
func Plain(node *document.Node) any {
	switch node.Kind() {
	case document.Mapping:
		value := map[string]any{}
		for key, child := range node.Entries() {
			value[key] = Plain(child)
		}
		return value
	case document.Sequence:
		value := []any{}
		for _, item := range node.Items() {
			value = append(value, Plain(item))
		}
		return value
	case document.String:
		return node.Value()
	case document.Bool:
		return node.Value() == "true"
	case document.Null:
		return nil
	}
	if strings.HasSuffix(node.Text(), ".inf") {
		return json.Number("1e999") // editors read it as a number, which JSON cannot write
	}
	return json.Number(node.Text())
}
