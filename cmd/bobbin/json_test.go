package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/doctor"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/report"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/health"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/sessions"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/try"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
)

// A jsonOutput is the JSON that a command prints, or that is served or written for other programs.
type jsonOutput struct {
	title string
	file  string // that prints it
	of    reflect.Type
}

// jsonOutputs lists all of them, in the order of docs/json.md.
func jsonOutputs() []jsonOutput {
	const in = "internal/"
	list := []jsonOutput{
		{"sessions --json: a list of", in + "sessions/sessions.go", reflect.TypeFor[workflow.Session]()},
		{"learned --json: a list of", in + "operate/learned.go", reflect.TypeFor[lessons.Lesson]()},
		{"pause --list --json: a list of", in + "operate/pause.go", reflect.TypeFor[store.Pause]()},
		{"spending --json: a list of", in + "operate/spending.go", reflect.TypeFor[operate.SpentRow]()},
		{"clean --json", "clean.go", reflect.TypeFor[cleaned]()},
		{"doctor --json", in + "doctor/doctor.go", reflect.TypeFor[doctor.Result]()},
		{"try --json", in + "try/try.go", reflect.TypeFor[try.Result]()},
		{"eval: results.json", in + "eval/report/result.go", reflect.TypeFor[report.Run]()},
		{"serve: /healthz and /readyz", in + "health/health.go", reflect.TypeFor[health.Health]()},
	}
	for _, r := range []struct {
		what string
		from any
	}{
		{"session", (*store.Store).Session},
		{"report", func() sessions.ReportWithHash { return sessions.ReportWithHash{} }},
		{"approval", (*store.Store).Approval},
		{"permission", (*store.Store).Permissions},
		{"question", (*store.Store).Questions},
		{"decision", (*store.Store).Decisions},
		{"inquiry", (*store.Store).Inquiries},
		{"task", (*store.Store).Tasks},
		{"attempt", (*store.Store).Attempts},
		{"check", (*store.Store).Checks},
		{"command", (*store.Store).Commands},
		{"push", (*store.Store).Pushes},
	} {
		of := reflect.TypeOf(r.from).Out(0)
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		list = append(list, jsonOutput{
			fmt.Sprintf(`audit: the value of a line whose what is %q`, r.what),
			"internal/sessions/audit.go " + r.what, of,
		})
	}
	return list
}

// otherJSON lists the files whose JSON no program of an operator reads, or whose keys have another reason.
var otherJSON = map[string]string{
	"manifest.go":                "Slack says how a manifest looks",
	"internal/schema/schema.go":  "the standard says how a JSON schema looks",
	"internal/initcmd/file.go":   "a quoted text of YAML",
	"internal/cli/json.go":       "the writer itself",
	"internal/playground/":       "between the playground and its page, and its own folder",
	"internal/harness/":          "servers of tests",
	"internal/faults/":           "tests",
	"internal/sessions/audit.go": "prints each record under its name, which jsonOutputs lists",
}

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// TestJSONIsSnakeCase checks the keys of everything that a command prints as JSON, and that docs/json.md
// lists them.
func TestJSONIsSnakeCase(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString(jsonPage)
	for _, o := range jsonOutputs() {
		var text strings.Builder
		require.NoError(t, cli.WriteJSON(&text, filled(o.of, 0).Interface(), ""))
		var value any
		require.NoError(t, json.Unmarshal([]byte(text.String()), &value))
		keys := map[string]string{}
		listKeys(value, "", keys)
		require.NotEmpty(t, keys, o.title)
		fmt.Fprintf(&page, "\n## bobbin %s\n\n", o.title)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			for word := range strings.SplitSeq(strings.ReplaceAll(key, "[]", ""), ".") {
				if word != "NAME" {
					require.Regexp(t, snakeCase, word, "%s: %s", o.title, key)
				}
			}
			fmt.Fprintf(&page, "    %-32s %s\n", key, keys[key])
		}
	}
	const name = "../../docs/json.md"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(name, []byte(page.String()), 0o644))
	}
	written, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, page.String(), string(written), "write it anew with UPDATE_GOLDEN=1")
}

const jsonPage = `# JSON that commands print

For programs that read what Bobbin prints. The keys are in snake case, times are in RFC 3339, and a list that
is empty is ` + "`[]`" + `. ` + "`name[].key`" + ` is a key of each item of a list; ` + "`NAME`" + ` stands for names that vary. Keys may be
added; one that is renamed or removed is in the changelog. A test writes this page from the program's types.
`

// filled returns a value of the type in which each list and map has one item, and each pointer a value.
func filled(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	if depth > 6 {
		return v
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1, 0).UTC()))
	case t == reflect.TypeFor[json.RawMessage]():
		v.Set(reflect.ValueOf(json.RawMessage(`{}`)))
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(filled(t.Elem(), depth+1))
	case t.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, filled(t.Elem(), depth+1)))
	case t.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(reflect.ValueOf("NAME").Convert(t.Key()), filled(t.Elem(), depth+1))
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if v.Field(i).CanSet() {
				v.Field(i).Set(filled(t.Field(i).Type, depth+1))
			}
		}
	case t.Kind() == reflect.String:
		v.SetString("text")
	case t.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(1)
	case v.CanFloat():
		v.SetFloat(1)
	}
	return v
}

// listKeys adds the paths of a value's keys, with what each holds.
func listKeys(value any, path string, keys map[string]string) {
	switch x := value.(type) {
	case map[string]any:
		if len(x) == 0 {
			keys[path] = "object"
		}
		for key, inner := range x {
			listKeys(inner, strings.TrimPrefix(path+"."+key, "."), keys)
		}
	case []any:
		for _, inner := range x {
			listKeys(inner, path+"[]", keys)
		}
	case string:
		keys[path] = "text"
		if _, err := time.Parse(time.RFC3339, x); err == nil {
			keys[path] = "time"
		}
	case float64:
		keys[path] = "number"
	case bool:
		keys[path] = "true or false"
	}
}

// TestEveryJSONIsListed checks that each place in this folder that writes JSON is in the table above, or in
// the list of others.
func TestEveryJSONIsListed(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, o := range jsonOutputs() {
		listed[o.file] = true
	}
	found := map[string]bool{}
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "testdata" {
			return cmpErr(err, fs.SkipDir)
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		for _, where := range writesJSON(t, name) {
			found[where] = true
		}
		return nil
	}))
	for where := range found {
		if !isOtherJSON(where) {
			require.True(t, listed[where], "%s writes JSON: add what it prints to jsonOutputs", where)
		}
	}
	for where := range listed {
		require.True(t, found[where], "%s writes no JSON", where)
	}
}

func isOtherJSON(where string) bool {
	for prefix, why := range otherJSON {
		isFolder := strings.HasSuffix(prefix, "/")
		if why != "" && (where == prefix || isFolder && strings.HasPrefix(where, prefix)) {
			return true
		}
	}
	return false
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// writesJSON returns the file if it writes JSON, and for the audit each record that it writes.
func writesJSON(t *testing.T, name string) (places []string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	require.NoError(t, err)
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fun := call.Fun
		if generic, ok := fun.(*ast.IndexExpr); ok {
			fun = generic.X
		}
		called := ""
		switch f := fun.(type) {
		case *ast.SelectorExpr:
			called = f.Sel.Name
			if x, ok := f.X.(*ast.Ident); ok {
				called = x.Name + "." + called
			}
		case *ast.Ident:
			called = f.Name
		}
		switch called {
		case "cli.WriteJSON", "json.NewEncoder", "json.Marshal", "json.MarshalIndent":
			places = append(places, name)
		case "a.writeRecord", "writeList":
			for _, a := range call.Args {
				if word, ok := a.(*ast.BasicLit); ok {
					places = append(places, name+" "+strings.Trim(word.Value, `"`))
				}
			}
		}
		return true
	})
	return places
}
