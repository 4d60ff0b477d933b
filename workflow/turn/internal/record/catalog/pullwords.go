package catalog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// This file reads where a text may be about a pull request.

// A pullMention is a pull request that a text may be about: by its number, or by a run of CI.
type pullMention struct {
	number   int64
	run, job string
	sure     bool // it stands where nothing else does: "PR 77", or an address
}

var (
	// linkOrAddress matches an address, also as Slack's link with a label.
	linkOrAddress = regexp.MustCompile(`<(https?://[^\s<>|]+)(?:\|[^<>]*)?>|(https?://[^\s<>|)\]]+)`)
	// asPull and asRun are what stands for an address in a text.
	asPull = regexp.MustCompile(`\x{1}pull (\d+)\x{1}`)
	asRun  = regexp.MustCompile(`\x{1}run (\d*) (\d*)\x{1}`)
	// namedPull matches "PR 77", "pull request #77 of shop" and "MR !7".
	namedPull = regexp.MustCompile(
		`(?i)\b(?:(?:pull|merge)[ -]requests?|PRs?|MRs?)\s*:?\s*[#!]?([1-9]\d{0,8})\b`)
	// numberedPull matches "#77" and "shop#77" in places where people say what is to be looked at.
	numberedPull = regexp.MustCompile(
		`(?i)^(?:.*\b(?:review|look (?:at|into|over)|check|think (?:of|about)|on|in|fix|help with|` +
			`(?:opinion|thoughts|feedback|comments) on)\s+(?:(?:the|our|my)\s+)?` +
			`([\w.-]*)#([1-9]\d{0,8})\b|([\w.-]*)#([1-9]\d{0,8})\s+[a-z])`)
	// onlyNumber matches a message that is nothing but the number, after the bot's name.
	onlyNumber = regexp.MustCompile(`^(?:<@\w+>|@\S+)?\s*([\w.-]*)#([1-9]\d{0,8})[\s.!?]*$`)
	// gitLabMark matches "!77", which is a merge request at GitLab alone.
	gitLabMark = regexp.MustCompile(`(^|[\s(])!([1-9]\d{0,8})\b`)
	// beside matches clauses in which a pull request is only mentioned: as a cause, or to compare.
	beside = regexp.MustCompile(`(?i)\b(?:since|after|before|until|like|similar|same|see|compare\w*|` +
		`unlike|introduc\w*|caus\w*|because|due|revert\w*|duplicat\w*|merged|closed|instead|not|from|by|` +
		`than|with)\b`)
	helpWith = regexp.MustCompile(`(?i)\bhelp with\b`)
)

// pullMentions returns the pull requests and runs of r that a text may be about: not those that it mentions
// as a cause, or to compare.
func pullMentions(text string, r repository.Repository) (all []pullMention) {
	add := func(m pullMention) {
		if !slices.ContainsFunc(all, func(o pullMention) bool {
			return o.number == m.number && o.run == m.run && o.job == m.job
		}) {
			all = append(all, m)
		}
	}
	text = strings.ReplaceAll(text, "\x01", "")
	if r.Pulls.Kind == host.GitLab {
		text = gitLabMark.ReplaceAllString(text, "${1}MR ${2}")
	}
	if m := onlyNumber.FindStringSubmatch(text); m != nil && isNameOf(m[1], r) {
		n, _ := strconv.ParseInt(m[2], 10, 64)
		add(pullMention{number: n})
	}
	for _, clause := range clauseEnd.Split(markAddresses(text, r), -1) {
		if beside.MatchString(helpWith.ReplaceAllString(clause, "on")) {
			continue
		}
		for _, m := range asPull.FindAllStringSubmatch(clause, -1) {
			n, _ := strconv.ParseInt(m[1], 10, 64)
			add(pullMention{number: n, sure: true})
		}
		for _, m := range asRun.FindAllStringSubmatch(clause, -1) {
			add(pullMention{run: m[1], job: m[2], sure: true})
		}
		for _, m := range namedPull.FindAllStringSubmatch(clause, -1) {
			n, _ := strconv.ParseInt(m[1], 10, 64)
			add(pullMention{number: n, sure: true})
		}
		for _, m := range numberedPull.FindAllStringSubmatch(strings.TrimSpace(clause), -1) {
			n, _ := strconv.ParseInt(m[2]+m[4], 10, 64)
			if isNameOf(m[1]+m[3], r) {
				add(pullMention{number: n})
			}
		}
	}
	return all
}

// isNameOf reports whether what stands before a number is the name of r, or nothing.
func isNameOf(name string, r repository.Repository) bool {
	return name == "" || strings.EqualFold(name, r.Name)
}

// markAddresses replaces the addresses of a text: those of pull requests and runs of r by what asPull and
// asRun match, the others by nothing.
func markAddresses(text string, r repository.Repository) string {
	return linkOrAddress.ReplaceAllStringFunc(text, func(link string) string {
		m := linkOrAddress.FindStringSubmatch(link)
		p := pageAt(strings.TrimRight(m[1]+m[2], ".,;:!?"), r)
		switch p.Kind {
		case host.APull:
			return "\x01pull " + strconv.FormatInt(p.Number, 10) + "\x01"
		case host.ARun:
			return "\x01run " + p.Run + " " + p.Job + "\x01"
		}
		return " "
	})
}
