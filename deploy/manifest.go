// Package deploy holds the files that install Bobbin. The manifest of the Slack app, slack-manifest.yaml, is
// the only source for the output of "bobbin manifest", for the scopes that "bobbin doctor" requires of the
// app, and for the effect of a missing scope.
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

// An App holds the settings that may differ between workspaces.
type App struct {
	Name  string // default: Bobbin
	Agent bool   // with Slack's agent view, which excludes guests
	// where Slack sends people back who sign in with it; default: nobody signs in
	Redirect string
}

// Limits and formats of Slack and of the manifest file.
const (
	maxName     = 35
	createPage  = "https://api.slack.com/apps?new_app=1&manifest_yaml="
	agentMark   = "#+ "
	defaultName = "Bobbin"
)

// Manifest returns the app's manifest as YAML, with a comment after each scope. It fails if
// Slack would refuse the name.
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
		if line == "oauth_config:\n" && a.Redirect != "" {
			out.WriteString("  redirect_urls:\n    - " + quoted(a.Redirect) + "\n")
		}
	}
	return out.String(), nil
}

// Link returns the address of a Slack page on which the manifest is already filled in.
func (a App) Link() (string, error) {
	text, err := a.Manifest()
	if err != nil {
		return "", err
	}
	return createPage + url.QueryEscape(bare(text)), nil
}

// quoted returns a name in a form that YAML reads as a string: a JSON string.
func quoted(name string) string {
	if strings.EqualFold(name, defaultName) {
		return name
	}
	text, _ := json.Marshal(name) // a string
	return string(text)
}

// handle returns the name that people write after the @. It keeps only the characters that Slack allows:
// letters, digits, and - _ .
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
	case strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) ||
		!utf8.ValidString(name):
		return errors.New("the app's name has to be one line without white space around it")
	case utf8.RuneCountInString(name) > maxName:
		return errors.New("the name of an app has at most 35 characters")
	case strings.Contains(strings.ToLower(name), "slack"):
		return errors.New(`the name of an app may not hold "slack": Slack refuses it`)
	}
	return nil
}

// bare returns the manifest without comments, which keeps the link short.
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

// comment matches a comment after white space; a # within quotes does not match.
var comment = regexp.MustCompile(`\s+# [^"']*$`)

// A Scope is a scope that the bot's token needs, or an event that the app is subscribed to.
type Scope struct {
	Name string
	Why  string // what Bobbin cannot do without it
}

var scopeLine = regexp.MustCompile(`(?m)^ {6}- ([a-z_.]+(?::[a-z.]+)?) # (.+)$`)

// Scopes returns the bot token's scopes in the manifest.
func Scopes() []Scope { return listed("    bot:\n") }

// Events returns the events that the app is subscribed to, with what each one reports.
func Events() []Scope { return listed("    bot_events:\n") }

// listed returns the entries of the list below a line of the manifest.
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

// Names returns the sorted names of the entries.
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

// A Shortcut is a message shortcut of the app.
type Shortcut struct{ Name, ID string }

var (
	commandLines = regexp.MustCompile(
		`(?m)^    - command: (\S+)\n      description: (.+)\n      usage_hint: '"?(.+?)"?'$`)
	shortcutLines = regexp.MustCompile(
		`(?m)^    - name: (.+)\n      type: message\n      callback_id: (\S+)$`)
)

// Commands returns the manifest's slash commands.
func Commands() (list []Command) {
	for _, m := range commandLines.FindAllStringSubmatch(manifest, -1) {
		list = append(list, Command{Name: m[1], Description: m[2], Hint: m[3]})
	}
	return list
}

// Shortcuts returns the manifest's message shortcuts.
func Shortcuts() (list []Shortcut) {
	for _, m := range shortcutLines.FindAllStringSubmatch(manifest, -1) {
		list = append(list, Shortcut{Name: m[1], ID: m[2]})
	}
	return list
}
