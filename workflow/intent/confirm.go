package intent

import (
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// confirms reports whether a whole message confirms that an understanding is right. It may be the permission
// to work, so it is read as strictly as an approval: no quote, no code, no mention of another person, and no
// character that only looks like ASCII.
func confirms(t words.Text) bool {
	s := words.SpellPictures(t.Plain)
	if utf8.RuneCountInString(t.Raw) > words.MaxLength || !words.IsPlainASCII(s) ||
		strings.ContainsAny(s, "\"`<>@?") {
		return false
	}
	s = strings.ToLower(words.Polite(strings.Join(strings.Fields(s), " ")))
	return confirming.MatchString(s)
}

// The words that confirm: one of them, optional further ones, and optional thanks or a friendly emoji.
const (
	thumb = `(?::(?:\+1|thumbsup|white_check_mark|heavy_check_mark|ok_hand|100):(?::skin-tone-[2-6]:)?)`
	smile = `(?:` + thumb +
		`|:(?:rocket|tada|pray|slightly_smiling_face|grinning|blush|smile|raised_hands|clap|` +
		`heart):(?::skin-tone-[2-6]:)?|:-?\)|(?:thanks|thank you)(?: a lot| so much)?|thx|cheers|please)`
	rights = `(?:yes|yep|yeah|yup|y|ok|okay|sure|correct|right|exactly(?: right)?|precisely|absolutely|` +
		`confirm(?:ed)?|i confirm|perfect|agreed|i agree|spot on|all (?:good|right|correct)|good to go|` +
		`approved?|lgtm|looks? (?:good|right|correct|perfect)(?: to me)?|sounds (?:good|right|perfect)(?: ` +
		`to me)?|(?:that's|that is|thats|it's|it is|this is) (?:all |exactly )?(?:right|correct|it|what i ` +
		`(?:want|meant|mean))|yes it is|you got it|\+1|thumbs up|go(?: ahead)?(?: ` +
		`and (?:start|build it))?|go for it|proceed|please (?:start|do|go ahead|proceed)|(?:let's ` +
		`)?(?:start|build it|do it|go)(?: (?:now|it|work|working|building))?|make it so|ship it)`
)

var confirming = lazyregexp.New(`^(?:` + thumb + ` ?|(?:great|cool|nice|good|super)[,!.] )*(?:` + thumb +
	`|` + rights + `)(?:(?:, | |\. |! | - |! ?)(?:and )?` + rights + `)*[.!]?(?:,? ?` + smile + `)*!{0,3}$`)
