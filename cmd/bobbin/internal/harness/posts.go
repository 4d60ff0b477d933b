package harness

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// Posts returns the Slack API calls that show something to people, by channel.
func Posts(slack *slacktest.Server) map[string][]slacktest.Request {
	all := map[string][]slacktest.Request{}
	for _, r := range slack.Requests("") {
		if strings.HasPrefix(r.Method, "chat.") || strings.HasPrefix(r.Method, "files.complete") ||
			strings.HasPrefix(r.Method, "reactions.") {
			channel := cmp.Or(r.Args.Get("channel"), r.Args.Get("channel_id"))
			all[channel] = append(all[channel], r)
		}
	}
	return all
}

// WordsOf returns the texts that a call shows, in Slack's markup.
func WordsOf(r slacktest.Request) string {
	words := r.Args.Get("text") + "\n" + r.Args.Get("title")
	var blocks []struct {
		Text *struct{ Type, Text string }
	}
	_ = json.Unmarshal([]byte(r.Args.Get("blocks")), &blocks)
	for _, b := range blocks {
		if b.Text != nil {
			words += "\n" + b.Text.Text
		}
	}
	return words
}

var (
	asCode = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	// links of the stage's git host and trackers, of threads in its workspace, of pages, and of help
	codeLink = regexp.MustCompile(
		`^<https://git\.example/(?:shop|site)/blob/[0-9a-f]{40}/[\w./-]+#L\d+` +
			`\|\x60(?:site:)?[\w./-]+:\d+\x60>$|` +
			`^<https://git\.example/(?:shop|site)/compare/[0-9a-f]{40}\.\.\.[0-9a-f]{40}` +
			`\|(?:Compare|bobbin/[\w-]+)>$|` +
			`^<https://git\.example/shop/(?:actions/runs/\d+(?:/job/[\w-]+)?|-/jobs/\d+)\|[\w-]+>$|` +
			`^<http://pages\.example/s/\w+\|session page>$|` +
			`^<https://acme\.slack\.com/archives/C\w+/p\d+\|[^|>]+>$|` +
			`^<https://git\.example/(?:shop|site)/(?:(?:pulls?|(?:-/)?issues)/\d+\|(?:shop)?#|` +
			`-/merge_requests/\d+\|(?:shop)?!)\d+>$|` +
			`^<https://acme\.atlassian\.net/browse/[A-Z]+-\d+\|[A-Z]+-\d+>$|` +
			`^<https://github\.com/bobbinhq/bobbin/blob/main/docs/[\w-]+\.md\|[^|>]+>$`)
	Markup   = regexp.MustCompile(`<[^>]*>`)
	bareLink = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://\S|\bwww\.\S|\bmailto:\S`)
	ranBy    = regexp.MustCompile(`^<@U\w+> (?:/|reports a bug:|asks for a feature:)`)
	signed   = regexp.MustCompile(
		`(?m)^[\s\p{Z}*_~\x{2800}\x{3164}]*[\[【\x{ff3b}][^\]】\x{ff3d}]*[\]】\x{ff3d}][^\n]{0,60}forged`)
)

// PostProblems returns what is wrong with one call that shows something, such as mentions, links, forged
// signatures, previews or pictures.
func PostProblems(r slacktest.Request) (problems []string) {
	note := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	words := ranBy.ReplaceAllString(WordsOf(r), "")
	for _, m := range Markup.FindAllString(words, -1) {
		switch m[1] {
		case '!', '@', '#':
			note("calls somebody: %s", m)
		default:
			if !codeLink.MatchString(m) {
				note("a link: %s", m)
			}
		}
	}
	plain := asCode.ReplaceAllString(words, "")
	if m := bareLink.FindString(Markup.ReplaceAllString(plain, "")); m != "" {
		note("a link that a client may make: %q", m)
	}
	if m := signed.FindString(plain); m != "" {
		note("signs as another: %q", m)
	}
	if strings.HasPrefix(r.Method, "chat.post") || r.Method == "chat.update" || r.Method == "chat.meMessage" {
		if r.Args.Get("unfurl_links") != "false" || r.Args.Get("unfurl_media") != "false" {
			note("a preview may be shown: unfurl_links=%q unfurl_media=%q", r.Args.Get("unfurl_links"),
				r.Args.Get("unfurl_media"))
		}
		if r.Args.Get("parse") != "none" ||
			!slices.Contains([]string{"", "0", "false"}, r.Args.Get("link_names")) {
			note("names are made into mentions: parse=%q link_names=%q", r.Args.Get("parse"),
				r.Args.Get("link_names"))
		}
	}
	for _, arg := range []string{"attachments", "username", "icon_url", "icon_emoji"} {
		if r.Args.Has(arg) {
			note("the argument %s", arg)
		}
	}
	if blocks := r.Args.Get("blocks"); strings.Contains(blocks, `"image"`) ||
		strings.Contains(blocks, "image_url") {
		note("a picture: %s", blocks)
	}
	if strings.Contains(r.Args.Get("blocks"), `"mrkdwn"`) && strings.Count(r.Args.Get("blocks"),
		`"mrkdwn"`) != strings.Count(r.Args.Get("blocks"), `"verbatim":true`) {
		note("a block in which Slack makes links")
	}
	return problems
}
