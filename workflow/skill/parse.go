package skill

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	maxName        = 64
	maxDescription = 1024 // characters
)

var namePattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// parse reads the text of the SKILL.md in the given directory.
func parse(directory, text string) (Skill, error) {
	switch {
	case !utf8.ValidString(text):
		return Skill{}, malformed("it is not UTF-8 text; save it as UTF-8")
	case strings.ContainsRune(text, 0):
		return Skill{}, malformed("it holds a NUL character; remove it")
	}
	front, body, err := split(text)
	if err != nil {
		return Skill{}, err
	}
	s, err := readFront(front)
	switch {
	case err != nil:
		return Skill{}, err
	case s.Name != directory:
		return Skill{},
			malformedf("its name %s is not that of its directory; make them the same", quote(s.Name))
	case body == "":
		return Skill{}, malformed("there is nothing after the front matter; write what the skill says")
	case len(body) > maxBody:
		return Skill{}, malformedf("its body is longer than %d KiB; shorten it", maxBody>>10)
	}
	s.Body = body + "\n"
	return s, nil
}

// split separates the front matter, between its two lines "---", from the body.
func split(text string) (front, body string, err error) {
	text = strings.TrimPrefix(text, "\ufeff") // some editors begin a file with a byte order mark
	text = strings.ReplaceAll(text, "\r\n", "\n")
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return "", "",
			malformed("it has no front matter; begin with a line ---, name and description, and a line ---")
	}
	for at := 0; at <= len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		if strings.TrimRight(line, " \t") == "---" {
			return rest[:at], strings.TrimSpace(rest[min(at+len(line)+1, len(rest)):]), nil
		}
		if at += len(line) + 1; at > maxFront {
			return "", "", malformedf("its front matter does not end within %d KiB; end it with a line ---",
				maxFront>>10)
		}
		if !more {
			break
		}
	}
	return "", "", malformed("its front matter does not end; end it with a line ---")
}

// readFront reads the known keys at the top level of the front matter. It reads values from the syntax
// tree, where an alias is only a name, so no alias is ever expanded.
func readFront(front string) (s Skill, err error) {
	file, err := parseYAML(front)
	if err != nil {
		return s, err
	}
	if len(file.Docs) != 1 {
		return s, malformed("its front matter is not one document; write name: and description:, a line each")
	}
	mapping, ok := file.Docs[0].Body.(ast.MapNode)
	if !ok {
		return s, malformed(
			"its front matter is empty or no list of keys; write name: and description:, a line each")
	}
	for each := mapping.MapRange(); each.Next(); {
		switch keyOf(each.Key()) {
		case "name":
			s.Name, err = textOf("name", each.Value())
		case "description":
			s.Description, err = textOf("description", each.Value())
		case "disable-model-invocation":
			s.ByCommand, err = flagOf("disable-model-invocation", each.Value())
		}
		if err != nil {
			return s, err
		}
	}
	return s, s.validate()
}

// parseYAML parses the front matter. It returns an error if the parser panics.
func parseYAML(front string) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = malformed(
				"its front matter cannot be read as YAML; write name: and description:, a line each")
		}
	}()
	// with the first "---", so that line numbers are those of the file
	file, err = parser.ParseBytes([]byte("---\n"+front), 0)
	if err == nil {
		return file, nil
	}
	var where yaml.Error
	if !errors.As(err, &where) || where.GetToken() == nil || where.GetToken().Position == nil {
		return nil, malformed("its front matter is no YAML; write name: and description:, a line each")
	}
	return nil, malformedf("line %d is no YAML: %s; a value with a colon, a # or brackets has to be in "+
		"quotes", where.GetToken().Position.Line, clip(plaintext.OneLine(where.GetMessage())))
}

func keyOf(n ast.MapKeyNode) string {
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value
	}
	return ""
}

func textOf(key string, n ast.Node) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return strings.TrimSpace(n.Value), nil
	case *ast.LiteralNode:
		if n.Value != nil {
			return strings.TrimSpace(n.Value.Value), nil
		}
	case *ast.NullNode:
		return "", malformedf("its %s is empty; write it after the colon", key)
	}
	return "", malformedf("its %s is not plain text; put it in quotes", key)
}

func flagOf(key string, n ast.Node) (bool, error) {
	if b, ok := n.(*ast.BoolNode); ok {
		return b.Value, nil
	}
	return false, malformedf("its %s is neither true nor false; write one of them", key)
}

// validate returns an error if the front matter lacks something or a value is not allowed.
func (s Skill) validate() error {
	switch {
	case s.Name == "":
		return malformed("it has no name; add the directory's name as name: to its front matter")
	case len(s.Name) > maxName || !namePattern.MatchString(s.Name):
		return malformedf("its name %s will not do; use at most %d small letters, "+
			"digits and single dashes between them", quote(s.Name), maxName)
	case s.Description == "":
		return malformed("it has no description; add a line description: that says when to use it")
	case utf8.RuneCountInString(s.Description) > maxDescription:
		return malformedf("its description is too long; shorten it to %d characters", maxDescription)
	}
	for _, r := range s.Description {
		if !shown(r) {
			return malformedf("its description holds the character %U; make it one line of plain text", r)
		}
	}
	return nil
}

// clip shortens quoted text to maxQuoted characters and replaces characters that are not safe to show.
func clip(s string) string {
	return plaintext.CutLine(strings.Map(func(r rune) rune {
		if !shown(r) {
			return '?'
		}
		return r
	}, s), maxQuoted)
}
