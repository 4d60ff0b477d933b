package workflow

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxWord is how long, in characters, a message may be to be read as one of these words.
const maxWord = 600

// said is a message's own words as they are matched: one line, lower case, without quotes of
// others, "please", the bot's address and a final mark; empty where it is too long.
func said(text string) string {
	if utf8.RuneCountInString(text) > maxWord {
		return ""
	}
	own, _ := ownLines(straighten(text))
	return strings.ToLower(polite(squeeze(withoutSpeech(own))))
}

var (
	wrapUp      = regexp.MustCompile(`^(?:ok(?:ay)?,? |let'?s |now |just )*(?:wrap (?:it |this )?up|that'?s enough(?: questions)?|enough(?: questions| of that)?|(?:take|use|go with) (?:the|your) (?:defaults|recommendations|recommended answers)(?: for the rest)?|skip the rest|no more questions)(?: now)?$`)
	moreWanted  = regexp.MustCompile(`^(?:ok(?:ay)?,? )*(?:(?:some |a few )?more questions|keep (?:going|asking)|go on asking|ask (?:me )?more|continue (?:asking|the interview))$`)
	confirming  = regexp.MustCompile(`^(?:yes|yep|yeah|yup|y|ok|okay|correct|right|exactly|confirmed|confirm|perfect|agreed|looks good|looks right|sounds good|lgtm|go ahead|go|start|that'?s (?:right|correct|it)|that is (?:right|correct|it)|all (?:right|correct)|:\+1:|:white_check_mark:)(?:[,!. ]+(?:yes|that'?s (?:right|it)|go ahead|start|go|do it|looks good|exactly|correct|confirmed|thanks|thank you))*$`)
	aboutDiff   = regexp.MustCompile(`^(?:(?:hm+|ok(?:ay)?|wait|and|but|so)[,. ]+)*(?:why (?:is (?:the |this |that |your )?(?:diff|change|patch|fix|branch|commit|it) )?so (?:large|big|huge|long|much|many)\b|why (?:is|are) (?:the|this|that|these|those|your) (?:diff|changes?|patch|commit)\b|why (?:did|do|have|are) you (?:touch|change|chang|edit|rewr|delet|remov|mov)\w*\b|why (?:\d+|so many) (?:lines|files)\b|(?:can you |could you |please )*(?:explain|walk (?:me|us) through|justify) (?:the|this|that|your) (?:diff|changes?|patch|commit|hunks?)\b|what (?:changed|did you change)\b)`)
	redirecting = regexp.MustCompile(`^(?:wrong\b|no[,.! ]|nope\b|not (?:that|this|the|there|in)\b|stop (?:doing|changing|touching|looking|working)\b|actually[, ]|wait[,.! ]|hold on[,.! ]|don'?t (?:touch|change|use|do|look|fix|edit|rewrite|remove|delete)\b|do not (?:touch|change|use|do|look|fix|edit|rewrite|remove|delete)\b|forget (?:the|that|about|it)\b|scratch that\b|instead[, ]|narrower\b|rather\b|leave (?:the|that)\b|that'?s (?:not|wrong)\b|that is (?:not|wrong)\b|you'?re (?:wrong|looking at the wrong)\b|it only\b|only (?:the|for|when)\b|correction\b)`)
)

// WrapsUp reports whether a message ends an interview and takes the recommended answers.
func WrapsUp(text string) bool { return wrapUp.MatchString(said(text)) }

// WantsMore reports whether a message asks for an interview to go on past its limit.
func WantsMore(text string) bool { return moreWanted.MatchString(said(text)) }

// Confirms reports whether a whole message says that an understanding is right.
func Confirms(text string) bool {
	_, quoted := ownLines(straighten(text))
	return !quoted && confirming.MatchString(strings.Trim(said(text), " .!"))
}

// AsksAboutDiff reports whether a message asks about the change itself.
func AsksAboutDiff(text string) bool { return aboutDiff.MatchString(said(text)) }

// Redirects reports whether a message in the middle of work makes what is under way
// pointless, so that it is better cancelled than finished.
func Redirects(text string) bool { return redirecting.MatchString(said(text)) }

var ordinals = []string{"first", "second", "third", "fourth"}

var optionNumber = regexp.MustCompile(`^(?:option |number |no\. ?|#)?(\d)[.)]?$|^(?:the )?(first|second|third|fourth)(?: one| option)?$`)

// OptionNamed finds the option that an answer in words means: its number, its own words, or
// the beginning of them. -1 means the one that was recommended.
func OptionNamed(text string, options []string) (int, bool) {
	s := strings.Trim(said(text), " .!")
	if s == "" {
		return 0, false
	}
	if slices.Contains([]string{"recommended", "the recommended one", "as you recommend", "as recommended", "your pick", "you decide", "whatever you recommend", "default", "the default"}, s) {
		return -1, true
	}
	if m := optionNumber.FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[1])
		if m[2] != "" {
			n = slices.Index(ordinals, m[2]) + 1
		}
		return n - 1, n >= 1 && n <= len(options)
	}
	found, hits := 0, 0
	for i, o := range options {
		o = strings.Trim(strings.ToLower(squeeze(o)), " .!")
		if o == s {
			return i, true
		}
		if len(s) >= 3 && strings.HasPrefix(o, s) {
			found, hits = i, hits+1
		}
	}
	return found, hits == 1
}

var detailed = regexp.MustCompile("[\\d\"`/]|\\b(?:when|so that|must|should|if|because|only|using|with)\\b")

// Vague reports whether a request for a feature says next to nothing.
func Vague(text string) bool {
	s := strings.TrimSpace(straighten(text))
	return len(strings.Fields(s)) < 8 && !strings.Contains(s, "\n") && !detailed.MatchString(strings.ToLower(s))
}
