package tool

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// attach gives the agent an attachment of that text.
func (e *Env) attach(text string) {
	e.Attachment = func(context.Context, string) (string, io.ReadSeekCloser, error) {
		return "app.log", memory{bytes.NewReader([]byte(text))}, nil
	}
}

func TestSearchFile(t *testing.T) {
	t.Parallel()
	e := newEnv(t, files{
		"a.go": "package a\n\nfunc Open() {}\nfunc Close() {}\n", "bin": "a\x00b", ".env": "KEY=a",
	})
	require.Equal(t, "a.go, 4 lines, 1 matching; page 1 of 1\n1- package a\n2- \n3: func Open() {}\n"+
		"4- func Close() {}\n", e.ok(t, "search_file", args{"path": "a.go", "pattern": "Open"}))
	require.Equal(t, "No match in a.go, 4 lines.\n",
		e.ok(t, "search_file", args{"path": "a.go", "pattern": "open", "literal": true}))
	for why, in := range map[string]args{
		"The pattern is empty":    {"path": "a.go", "pattern": ""},
		"There is no b.go":        {"path": "b.go", "pattern": "x"},
		"is a binary file":        {"path": "bin", "pattern": "x"},
		"may hold secrets":        {"path": ".env", "pattern": "x"},
		"There is no kept output": {"path": "output:../a", "pattern": "x"},
		"Nothing was attached":    {"path": "attachment:1", "pattern": "x"},
		"outside of the":          {"path": "../a", "pattern": "x"},
	} {
		require.Contains(t, e.refused(t, "search_file", in), why)
	}

	var log strings.Builder
	for n := 1; n <= 300_000; n++ {
		line := "a line of a log that nobody looks for"
		if n%5_000 == 0 {
			line = fmt.Sprint("panic: order ", n)
		}
		log.WriteString(line + "\n")
	}
	log.WriteString(strings.Repeat("x", 3<<20) + "panic: at last" + strings.Repeat("x", 3<<20))
	e.attach(log.String())
	page := e.ok(t, "search_file",
		args{"path": "attachment:1", "pattern": `panic: order`, "page": 2, "context": 1})
	require.True(t, strings.HasPrefix(page, "attachment:1, 300,001 lines, 60 matching; page 2 of 3\n"+
		"104999- a line of a log that nobody looks for\n105000: panic: order 105000\n"+
		"105001- a line of a log that nobody looks for\n--\n109999- a line"), page)
	require.Equal(t, 20, strings.Count(page, "panic"))
	require.Less(t, len(page), 8000)
	last := e.ok(t, "search_file", args{"path": "attachment:1", "pattern": "(?i)PANIC: AT"})
	require.Contains(t, last, "300000- panic: order 300000\n300001: …x")
	require.Contains(t, last, "panic: at lastxx")
	require.Contains(t, e.ok(t, "search_file", args{"path": "attachment:1", "pattern": "panic", "page": 9}),
		"61 matching: there is no page 9, the last is 4")
	wide := e.ok(t, "search_file",
		args{"path": "attachment:1", "pattern": "line", "page": 15_000, "context": 99})
	require.Less(t, len(wide), 25<<10)

	// The other tools page through it, and send to search_file.
	require.Contains(t, e.refused(t, "search", args{"path": "attachment:1", "pattern": "x"}),
		"use search_file on it")
	read := e.ok(t, "read_file", args{"path": "attachment:1", "offset": 299_999})
	require.Contains(t, read, "attachment:1, lines 299999-300001 of 300001\n299999\ta line")
	require.Less(t, len(read), 5000)
	require.Contains(t, e.ok(t, "read_file", args{"path": "attachment:1"}), "go on with offset 401")
	require.Contains(t, e.refused(t, "read_file", args{"path": "attachment:1", "offset": 300_002}),
		"300,001 lines")
	require.Greater(t, log.Len(), workfile.MaxFile, "the control: a page of it is not all of it in memory")
}
