package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

type readFile struct {
	Path   string `json:"path" jsonschema:"relative to the repository's root"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

type plan struct {
	Title string `json:"title"`
	Tasks []task `json:"tasks"`
	Risk  string `json:"risk,omitempty"`
	Size  *int   `json:"size,omitempty"`
}

type task struct {
	Description string `json:"description"`
	After       []int  `json:"after,omitempty"`
}

func echo[T any](name string, adjust ...func(*jsonschema.Schema)) model.Tool {
	return model.NewTool(name, "says what it was given", func(_ context.Context, in T) (model.Result, error) {
		text, err := json.Marshal(in)
		return model.Result{Text: string(text)}, err
	}, adjust...)
}

func planTool() model.Tool {
	return echo[plan]("propose_plan", func(s *jsonschema.Schema) {
		s.Properties["risk"].Enum = []any{"LOW", "HIGH"}
		s.Properties["title"].MinLength = jsonschema.Ptr(1)
		s.Properties["tasks"].MinItems = jsonschema.Ptr(1)
		s.Properties["tasks"].Items.Properties["after"].Items.Minimum = jsonschema.Ptr(1.0)
	})
}

func TestNewToolSchemaIsStable(t *testing.T) {
	t.Parallel()
	want := `{"type":"object","properties":{"path":{"type":"string",` +
		`"description":"relative to the repository's root"},` +
		`"offset":{"type":"integer"},"limit":{"type":"integer"}},"required":["path"]}`
	for range 20 {
		require.Equal(t, want, string(echo[readFile]("read_file").Schema))
		require.Equal(t, string(planTool().Schema), string(planTool().Schema))
	}
	require.Equal(t, `{"type":"object","properties":{}}`, string(echo[struct{}]("check").Schema))
	require.NotContains(t, string(planTool().Schema), "null",
		"lists of types are refused by several endpoints")
}

// A part of a schema that models see as one line is still checked in full.
func TestABriefSchemaIsCheckedWhole(t *testing.T) {
	t.Parallel()
	made := echo[plan]("propose_plan",
		func(s *jsonschema.Schema) { s.Properties["tasks"].Items.Comment = "{description, after?}" })
	require.Contains(t, string(made.Schema),
		`"items":{"type":"object","description":"{description, after?}"}`)
	r, err := made.Call(t.Context(),
		json.RawMessage(`{"title":"t","risk":"LOW","tasks":[{"description":3,"more":1}]}`))
	require.NoError(t, err)
	require.True(t, r.Malformed)
	require.Contains(t, r.Text, "tasks[0].description has to be a string")
	require.Contains(t, r.Text, `"tasks[0].more" is not known`)
}

func TestNewToolPanicsOnAnArgumentThatCannotBe(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, `tool odd: its arguments are of type "string" and have to be an object`,
		func() { echo[string]("odd") })
	require.Panics(t, func() { echo[struct{ F func() }]("odd") })
}

func TestToolTakesRightCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{`{"path":"a.go"}`, `{"path":"a.go"}`},
		{` {"path":"a.go","offset":3}` + "\n", `{"path":"a.go","offset":3}`},
		{`{"path":"a.go","offset":null}`, `{"path":"a.go"}`},
		{`{"path":"<b> & é"}`, `{"path":"\u003cb\u003e \u0026 é"}`},
	} {
		got, err := echo[readFile]("read_file").Call(t.Context(), json.RawMessage(c.args))
		require.NoError(t, err)
		require.False(t, got.Wrong, got.Text)
		require.Equal(t, c.want, got.Text)
	}
	none, err := echo[struct{}]("check").Call(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, model.Result{Text: "{}"}, none)
}

func TestToolAnswersWrongCallsInWords(t *testing.T) {
	t.Parallel()
	const right = `A right call looks like this: {"path": "…", "offset": 1, "limit": 1} (optional: offset, ` +
		`limit)`
	read := echo[readFile]("read_file")
	propose := planTool()
	deep := strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)
	for name, c := range map[string]struct {
		tool model.Tool
		args string
		want []string
	}{
		"missing": {read, `{}`, []string{"path is missing: it has to be a string", right}},
		"nothing": {read, ``, []string{"path is missing"}},
		"wrong type": {
			read,
			`{"path":"a","offset":"ten"}`,
			[]string{`offset has to be an integer, got the string "ten"`},
		},
		"null": {read, `{"path":null}`, []string{"path has to be a string, got null"}},
		"extra": {
			read,
			`{"path":"a","line":3}`,
			[]string{`"line" is not known; the fields are: path, offset, limit`},
		},
		"other case": {read, `{"Path":"a"}`, []string{"path is missing", `"Path" is not known`}},
		"twice":      {read, `{"path":"a","path":"b"}`, []string{`the field "path" is there twice`}},
		"fraction": {
			read, `{"path":"a","offset":1.5}`, []string{"offset has to be an integer, got the number 1.5"},
		},
		"whole but float": {read, `{"path":"a","offset":3.0}`, []string{"offset cannot be number 3.0"}},
		"huge":            {read, `{"path":"a","offset":1e30}`, []string{"offset"}},
		"beyond numbers":  {read, `{"path":"a","offset":1e999}`, []string{"1e999"}},
		"array":           {read, `[1]`, []string{"one JSON object, got the array [1]"}},
		"cut":             {read, `{"path":"a.g`, []string{"not valid JSON: unexpected end of JSON input"}},
		"cut, as kept": {
			read,
			`"{\"path\":\"a.g"`,
			[]string{`not valid JSON: unexpected end of JSON input, at byte 12, after "{\"path\":\"a.g"`},
		},
		"two objects":   {read, `{"path":"a"}{"path":"b"}`, []string{"not valid JSON"}},
		"quoted object": {read, `"{\"path\":\"a\"}"`, []string{"send the object itself"}},
		"deep":          {read, deep, []string{"nested more than 64 deep"}},
		"too large": {
			read, `{"path":"` + strings.Repeat("a", 1<<20) + `"}`, []string{"smaller parts"},
		},
		"enum": {
			propose,
			`{"title":"a","tasks":[{"description":"b"}],"risk":"MID"}`,
			[]string{`risk has to be one of "LOW", "HIGH", got the string "MID"`},
		},
		"nested": {
			propose,
			`{"title":"a","tasks":[{"description":"b"},{"description":7,"x":1}]}`,
			[]string{
				"tasks[1].description has to be a string, got the number 7", `"tasks[1].x" is not known`,
			},
		},
		"bounds": {
			propose,
			`{"title":"","tasks":[]}`,
			[]string{"title must not be empty", "tasks needs at least 1, got 0"},
		},
		"minimum": {
			propose,
			`{"title":"a","tasks":[{"description":"b","after":[0]}]}`,
			[]string{"tasks[0].after[0] has to be at least 1, got 0"},
		},
		"many, cut": {
			propose,
			`{"title":"a","tasks":[1,2,3,4,5,6,7,8,9]}`,
			[]string{"tasks[4] has to be an object, got the number 5\n- and more"},
		},
		"a right call too": {
			propose,
			`{}`,
			[]string{`{"title": "…", "tasks": [{"description": "…", "after": [1]}], "risk": "LOW", "size": ` +
				`1} (optional: risk, size)`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.tool.Call(t.Context(), json.RawMessage(c.args))
			require.NoError(t, err)
			require.True(t, got.Wrong, got.Text)
			require.True(t, got.Malformed, got.Text)
			require.Contains(t, got.Text, c.tool.Name+" was not run: its arguments are wrong.")
			for _, want := range c.want {
				require.Contains(t, got.Text, want)
			}
			require.Less(t, len(got.Text), 1200, "a mistake must not fill the conversation")
		})
	}
}

func TestToolHandsOnOurOwnFailures(t *testing.T) {
	t.Parallel()
	ours := errors.New("disk full")
	tool := model.NewTool("check", "",
		func(context.Context, struct{}) (model.Result, error) { return model.Result{}, ours })
	_, err := tool.Call(t.Context(), nil)
	require.ErrorIs(t, err, ours)
}

func FuzzToolArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"title":"a","tasks":[{"description":"b","after":[1]}]}`, `"{"`, `[[[`, `{"a":{"a":null}}`,
		`1e999`, "\x00",
	} {
		f.Add(seed)
	}
	tool := planTool()
	f.Fuzz(func(t *testing.T, args string) {
		got, err := tool.Call(context.Background(), json.RawMessage(args))
		if err != nil || got.Text == "" {
			t.Fatalf("%q: %v, %v", args, got, err)
		}
	})
}
