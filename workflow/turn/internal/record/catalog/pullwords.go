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
	pull     bool // it is a pull request, and no issue
	sure     bool // it stands where nothing else does: "PR #77", or an address
}

var (
	// linkOrAddress matches an address, also as Slack's link with a label.
	linkOrAddress = regexp.MustCompile(`<(https?://[^\s<>|]+)(?:\|[^<>]*)?>|(https?://[^\s<>|)\]]+)`)
	// asPull and asRun are what stands for an address in a text.
	asPull = regexp.MustCompile(`\x{1}pull (\d+)\x{1}`)
	asRun  = regexp.MustCompile(`\x{1}run (\d*) (\d*)\x{1}`)
	// namedPull matches "PR 77", "pull request #77" and "MR !7".
	namedPull = regexp.MustCompile(
		`\b(?:(?i:pull|merge)[ -](?i:request)|PR|MR|pr)\s*:?\s*(#?!?)([1-9]\d{0,8})\b`)
	// numberedPull matches "#77" and "shop#77" in places where people say what is to be looked at. The bot's
	// name, if there is one, is not before it.
	numberedPull = regexp.MustCompile(
		`(?i)(?:^|\b(?:review|look (?:at|into|over)|think (?:of|about)|on|in|fix|help with|` +
			`(?:opinion|thoughts|feedback|comments) on)\s+(?:(?:the|our|my)\s+)?)` +
			`([\w.-]*)(#!?)([1-9]\d{0,8})\b(\s+[\w'’]+)?`)
	// saysOf matches the word after a number at the beginning of a clause that says something of it.
	saysOf = regexp.MustCompile(`(?i)^\s+(?:fails|failed|is|isn['’]t|breaks|does|doesn['’]t|has|loses|` +
		`crashes|needs|should|still|won['’]t|looks)$`)
	// onlyNumber matches a message that is nothing but the number.
	onlyNumber = regexp.MustCompile(`^([\w.-]*)(#!?)([1-9]\d{0,8})[\s.?]*$`)
	// gitLabMark matches "!77", which is a merge request at GitLab alone.
	gitLabMark = regexp.MustCompile(`(^|[\s(]|\w)!([1-9]\d{0,8})\b`)
	botName    = regexp.MustCompile(`^\s*(?:<@\w+>|@\S+)[,:]?\s*`)
	// mentions matches what stands before a pull request that is only mentioned: as a cause, to compare, or
	// as not meant.
	mentions = regexp.MustCompile(`(?i)(?:\b(?:since|after|before|until|like|similar|same|as|see|unlike|` +
		`because|due|revert\w*|duplicat\w*|merged|closed|instead|not|never|ignore|without|than|with|by|` +
		`from|into|think|introduced|caused|compare\w*|on main)\b|n['’]t\b)`)
	// caused matches what follows a pull request that is named as a cause.
	caused = regexp.MustCompile(`(?i)^\s*(?:(?:has|have|had|was|is|were)\s+)?(?:caus|introduc|broke\b|` +
		`brought|merged|closed|blocked|reverted|came|(?:green|fine|ok)\b)`)
	opinion = regexp.MustCompile(`(?i)\b(?:what do (?:you|we) think|help with|review\w*|please)\b`)
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
	text = botName.ReplaceAllString(strings.ReplaceAll(text, "\x01", ""), "")
	if r.Pulls.Kind == host.GitLab {
		text = gitLabMark.ReplaceAllString(text, "${1}#!${2}")
	}
	if m := onlyNumber.FindStringSubmatch(text); m != nil && isNameOf(m[1], r) {
		add(pullMention{number: number(m[3]), pull: m[2] == "#!"})
	}
	for _, clause := range clauseEnd.Split(markAddresses(protectMarks(text), r), -1) {
		clause = strings.TrimSpace(restoreMarks(clause))
		for _, m := range clauseMentions(clause, r) {
			add(m)
		}
	}
	return all
}

// protectMarks keeps "#!77" from being divided at its exclamation mark.
func protectMarks(text string) string { return strings.ReplaceAll(text, "#!", "#\x02") }

func restoreMarks(text string) string { return strings.ReplaceAll(text, "\x02", "!") }

// clauseMentions returns what a clause may be about.
func clauseMentions(clause string, r repository.Repository) (all []pullMention) {
	meant := func(at []int) bool {
		before := opinion.ReplaceAllString(clause[:at[0]], "")
		return !mentions.MatchString(before) && !caused.MatchString(clause[at[1]:])
	}
	part := func(at []int, n int) string {
		if at[2*n] < 0 {
			return ""
		}
		return clause[at[2*n]:at[2*n+1]]
	}
	for _, at := range asPull.FindAllStringSubmatchIndex(clause, -1) {
		if meant(at) {
			all = append(all, pullMention{number: number(part(at, 1)), pull: true, sure: true})
		}
	}
	for _, at := range asRun.FindAllStringSubmatchIndex(clause, -1) {
		if meant(at) {
			all = append(all, pullMention{run: part(at, 1), job: part(at, 2), sure: true})
		}
	}
	for _, at := range namedPull.FindAllStringSubmatchIndex(clause, -1) {
		if meant(at) {
			all = append(all, pullMention{number: number(part(at, 2)), pull: true, sure: part(at, 1) != ""})
		}
	}
	for _, at := range numberedPull.FindAllStringSubmatchIndex(clause, -1) {
		after := part(at, 4)
		first := at[2] == 0 || at[4] == 0
		last := strings.TrimSpace(clause[at[7]:]) == ""
		verb := saysOf.MatchString(after)
		asked := opinion.MatchString(clause[:at[1]])
		if isNameOf(part(at, 1), r) && meant([]int{at[0], at[7]}) && (verb || !first && (last || asked)) {
			all = append(all, pullMention{number: number(part(at, 3)), pull: part(at, 2) == "#!"})
		}
	}
	return all
}

// number returns the number in digits, of which the expressions allow nine.
func number(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
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
