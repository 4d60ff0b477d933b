// Package deploy holds the files with which Bobbin is set up. The manifest of the Slack app,
// slack-manifest.yaml, is the only source for what bobbin manifest prints, for the scopes that
// doctor demands of the app, and for what a missing scope costs.
package deploy

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed slack-manifest.yaml
var manifest string

// An App is what may differ from one workspace to the next.
type App struct {
	Name  string // default: Bobbin
	Agent bool   // with Slack's agent view, which shuts guests out
}

// What Slack takes.
const (
	mostName    = 35
	createPage  = "https://api.slack.com/apps?new_app=1&manifest_yaml="
	agentMark   = "#+ "
	defaultName = "Bobbin"
)

// Manifest is the app's manifest as YAML, with a comment behind each scope.
func (a App) Manifest() (string, error) {
	name := a.Name
	if name == "" {
		name = defaultName
	}
	if err := checkName(name); err != nil {
		return "", err
	}
	var out strings.Builder
	for line := range strings.Lines(manifest) {
		indent, rest, marked := strings.Cut(line, agentMark)
		if marked = marked && strings.TrimSpace(indent) == ""; marked && !a.Agent {
			continue
		}
		if marked {
			line = indent + rest
		}
		if strings.HasPrefix(line, "# Lines that begin with") {
			continue
		}
		line = strings.Replace(line, "  name: "+defaultName+"\n", "  name: "+quoted(name)+"\n", 1)
		line = strings.Replace(line, "display_name: bobbin\n", "display_name: "+quoted(handle(name))+"\n", 1)
		out.WriteString(line)
	}
	return out.String(), nil
}

// Link is a page of Slack's where the manifest is filled in already.
func (a App) Link() (string, error) {
	text, err := a.Manifest()
	if err != nil {
		return "", err
	}
	return createPage + url.QueryEscape(bare(text)), nil
}

// quoted is a name of people's own choice as YAML takes it: a JSON string.
func quoted(name string) string {
	if strings.EqualFold(name, defaultName) {
		return name
	}
	text, _ := json.Marshal(name) // a string
	return string(text)
}

// handle is what people write behind the @: Slack takes letters, digits, and - _ . there.
func handle(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_. ", r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	return cmp.Or(strings.Join(strings.Fields(name), "-"), strings.ToLower(defaultName))
}

func checkName(name string) error {
	switch {
	case strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name):
		return errors.New("the app's name has to be one line without white space around it")
	case utf8.RuneCountInString(name) > mostName:
		return errors.New("the name of an app has at most 35 characters")
	case strings.Contains(strings.ToLower(name), "slack"):
		return errors.New(`the name of an app may not hold "slack": Slack refuses it`)
	}
	return nil
}

// bare is the manifest without its comments: a link should be short.
func bare(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if line = strings.TrimRight(comment.ReplaceAllString(line, ""), " \n"); line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// comment is one that stands behind white space; # within quotes is none.
var comment = regexp.MustCompile(`\s+# [^"']*$`)

// A Scope is one that the bot's token has to have.
type Scope struct {
	Name string
	Why  string // what Bobbin cannot do without it
}

var scopeLine = regexp.MustCompile(`(?m)^ {6}- ([a-z_.]+(?::[a-z.]+)?) # (.+)$`)

// Scopes are those of the manifest.
func Scopes() []Scope { return listed("    bot:\n") }

// Events are the events that the app is subscribed to, and what they tell of.
func Events() []Scope { return listed("    bot_events:\n") }

// listed reads the list below a line.
func listed(above string) (list []Scope) {
	_, text, _ := strings.Cut(manifest, above)
	end := regexp.MustCompile(`(?m)^ {0,5}\S`).FindStringIndex(text)
	if end != nil {
		text = text[:end[0]]
	}
	for _, m := range scopeLine.FindAllStringSubmatch(text, -1) {
		list = append(list, Scope{Name: m[1], Why: m[2]})
	}
	return list
}

// Names are those of a list.
func Names(list []Scope) []string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	slices.Sort(names)
	return names
}

// A Command is a slash command of the app.
type Command struct{ Name, Description, Hint string }

// A Shortcut is one of the app's, on messages.
type Shortcut struct{ Name, ID string }

var (
	commandLines  = regexp.MustCompile(`(?m)^    - command: (\S+)\n      description: (.+)\n      usage_hint: '"(.+)"'$`)
	shortcutLines = regexp.MustCompile(`(?m)^    - name: (.+)\n      type: message\n      callback_id: (\S+)$`)
)

// Commands are the manifest's slash commands.
func Commands() (list []Command) {
	for _, m := range commandLines.FindAllStringSubmatch(manifest, -1) {
		list = append(list, Command{Name: m[1], Description: m[2], Hint: m[3]})
	}
	return list
}

// Shortcuts are the manifest's shortcuts.
func Shortcuts() (list []Shortcut) {
	for _, m := range shortcutLines.FindAllStringSubmatch(manifest, -1) {
		list = append(list, Shortcut{Name: m[1], ID: m[2]})
	}
	return list
}
