package modeltest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

func TestParseNamesTheLineAndTheReason(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "s:1: the script is empty",
		"# only a comment":              "s:1: the script is empty",
		"say hi":                        `s:1: "say hi" stands before the first part`,
		"==":                            "s:1: == needs the name of a model",
		"== m":                          "s:1: the part m has no answers",
		"== m if x":                     `s:1: after the model only when can stand, not "if"`,
		"== m when tools a":             "s:1: a part is bound to what was said, not to tools",
		"== m when user":                "s:1: what to look for is missing",
		"== m\n---":                     "s:2: there is no answer for --- to end",
		"== m\nsay hi\n---\n---":        "s:4: there is no answer for --- to end",
		"== m\nexpect user \"x\"\n---":  "s:2: the answer says nothing",
		"== m\n\nexpect user \"x\"":     "s:3: the answer says nothing",
		"== m\nexpect user \"x\"\n== n": "s:2: the answer says nothing",
		"== m\nshout hi":                `s:2: "shout" is not a line of an answer`,
		"== m\nsay":                     "s:2: the text is missing",
		"== m\nsay <<<\nx":              "s:2: the block is not closed: a line >>> is missing",
		"== m\nsay <<<A\n>>>\n":         "s:2: the block is not closed: a line >>>A is missing",
		"== m\nsay <<< x\n>>>\n":        "s:2: behind <<< only a mark can stand",
		"== m\nexpect":                  "s:2: expect  is not known",
		"== m\nexpect luck":             "s:2: expect luck is not known; there are user, tool",
		"== m\nexpect user hello":       "s:2: what to look for is missing",
		"== m\nexpect user \"hello":     `s:2: "hello is not one quoted string`,
		"== m\nexpect user \"\"":        "s:2: an empty pattern is everywhere",
		"== m\nexpect user /a(/":        "s:2: error parsing regexp",
		"== m\nexpect user /a":          "s:2: the regular expression does not end with /",
		"== m\nexpect not tools a":      "s:2: expect not tools is not known",
		"== m\nexpect effort":           "s:2: expect effort needs one word",
		"== m\ncapture":                 "s:2: capture needs a name",
		"== m\ncapture a-b /x/":         "s:2: capture needs a name",
		"== m\ncapture a \"x\"":         "s:2: capture needs a /regular expression/",
		"== m\ncall":                    "s:2: call needs the name of a tool",
		"== m\ncall x [1]":              "s:2: the arguments of x are not a JSON object",
		"== m\ncall x {\"a\":":          "s:2: the arguments of x are not a JSON object; malformed x",
		"== m\n  a: 1": "s:2: an indented line is an argument of a call, " +
			"and there is no call above it",
		"== m\nsay x\n  a: 1":          "s:3: an indented line is an argument of a call",
		"== m\ncall x {}\n  a: 1":      "s:3: the call of x has its arguments already",
		"== m\ncall x\n  a":            "s:3: an argument is written as name: value",
		"== m\ncall x\n  a b: 1":       `s:3: "a b" cannot be the name of an argument`,
		"== m\ncall x\n  a: 1\n  a: 2": "s:4: the argument a is there twice",
		"== m\ncall x\n  a <<<\nfoo":   "s:3: the block is not closed",
		"== m\nmalformed x":            "s:2: the text is missing",
		"== m\nfail":                   `s:2: fail needs an HTTP status, not ""`,
		"== m\nfail 99":                `s:2: fail needs an HTTP status, not "99"`,
		"== m\nfail 429 retry-after x": `s:2: retry-after needs seconds, not "x"`,
		"== m\nfail 429\nsay x":        "s:2: an answer that fails cannot say or call anything",
		"== m\nempty\nsay x":           "s:2: an empty answer cannot say or call anything",
		"== m\nempty x":                "s:2: behind empty nothing can stand",
		"== m\nusage 1 2":              "s:2: usage needs three figures",
		"== m\nsay x\ncut after all":   "s:3: cut is written as cut after 10",
		"== m\nsay x\ndelay soon":      `s:3: "soon" is not a time such as 200ms`,
		"== m\nwait\nsay x":            "s:2: wait needs one word",
		"== m\nfinish a b\nsay x":      "s:2: finish needs one word",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := modeltest.Parse("s", text)
			require.ErrorContains(t, err, want)
			_, err = modeltest.Parse("s", strings.ReplaceAll(text, "\n", "\r\n"))
			require.ErrorContains(t, err, want)
		})
	}
}

var fault = regexp.MustCompile(`^s:\d+: .`)

func FuzzParse(f *testing.F) {
	story, err := os.ReadFile("testdata/coupon.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(story))
	for _, seed := range []string{
		"== m\nsay <<<", "== m when user /x/\ncall a\n  b <<<\n>>>", "== m\nfail 429 retry-after 1 x",
		"\x00\xff", "==  \n \n---", "== m\ncapture a /${a}/\nsay ${a}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		script, err := modeltest.Parse("s", text)
		if err != nil {
			if !fault.MatchString(err.Error()) {
				t.Fatalf("an error without its line: %v", err)
			}
			return
		}
		_ = script.Models()
	})
}
