package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A Line is one thing said in the thread: "[agent] text".
type Line struct {
	Agent string
	Text  string
	// Vouched holds the numbers of the lines of Text, from 0, that the program itself vouches for. They are
	// shown with [Mark] before them; all other lines are an agent's, or quote people and the repository.
	Vouched []int
	// Buttons are shown under the line, in this order.
	Buttons []Button
	// Mentions holds the ids of people and user groups that the line mentions. They are only those that
	// the configuration names and, where the configuration wants it, people who know the code.
	Mentions []string
	// Files are attached to the reply.
	Files []File
	// Progress marks a line that only reports progress: it is added to the newest reply of such lines.
	Progress bool
	// Code says where the places in the text are, so that they can be made links; nil: they were not
	// looked up.
	Code *Code
}

// SignatureIn returns the signature of an agent in a part of a thread: "orchestrator · site". In the thread's
// own session, whose part is empty, it is the agent's name.
func SignatureIn(agent, part string) string {
	if part == "" {
		return agent
	}
	return agent + " · " + part
}

// Code holds which of the places (path:line) in a text exist, and in which commit.
type Code struct {
	Repository string      `json:"repository"` // name in the configuration
	Commit     string      `json:"commit"`     // a commit that the remote has
	Places     []string    `json:"places"`
	Others     []OtherCode `json:"others,omitempty"`
}

// OtherCode holds which of the places in another repository exist that a text names (name:path:line).
type OtherCode struct {
	Repository string   `json:"repository"`
	Commit     string   `json:"commit"`
	Places     []string `json:"places"` // each begins with the repository's name and a colon
}

// A File is a picture, or text that is too long for a reply or that people want to keep.
type File struct {
	Name  string `json:"name"` // plan.md
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Data  []byte `json:"data,omitempty"` // in place of Text, for content that is not text
	// Snippet is Slack's name of the language to show the text in, such as diff; empty: it is shown as
	// a file.
	Snippet string `json:"snippet,omitempty"`
	// Otherwise is said if Slack does not take the file: where its content can be read.
	Otherwise string `json:"otherwise,omitempty"`
}

// A Button carries only an opaque id; what a press means is stored in a row.
type Button struct {
	ActionID ActionID
	Label    string
	Value    string
	Style    string // "", primary, danger
	Menu     bool   // it is in the menu "⋯" beside the buttons
	// Means is what the press means beyond the action: an option, a scope. It is stored in the row and
	// never sent.
	Means string `json:"-"`
}

// Mask returns a copy of the line in which mask was applied to its text, its files and their titles, and
// the labels and meanings of its buttons. The meaning of a press is masked like the text that was shown
// beside it, such as the options of a question: the two are compared. What stays are names and ids, and the
// content of pictures.
func (l Line) Mask(mask func(string) string) Line {
	masked := mask(l.Text)
	if strings.Count(masked, "\n") != strings.Count(l.Text, "\n") { // the numbers are another line's now
		l.Vouched = FirstOnly(l.Vouched)
	}
	l.Text = masked
	l.Files = slices.Clone(l.Files)
	l.Buttons = slices.Clone(l.Buttons)
	for i, f := range l.Files {
		l.Files[i].Name = mask(f.Name)
		l.Files[i].Title = mask(f.Title)
		l.Files[i].Text = mask(f.Text)
		l.Files[i].Otherwise = mask(f.Otherwise)
	}
	for i, b := range l.Buttons {
		l.Buttons[i].Label = mask(b.Label)
		l.Buttons[i].Means = mask(b.Means)
	}
	return l
}

// String returns the line as it is posted, as plain text.
func (l Line) String() string { return fmt.Sprintf("[%s] %s", l.Agent, l.Marked()) }

// Mark begins each line of a message that the program itself vouches for: a status, a proof, a push, an
// approval, a count. Nothing else that is shown contains it, since [Unmark] takes it out of every other
// text, with all characters that look like it.
const Mark = "◆"

// The marks of a line of the program that says whether something holds. They stand in place of [Mark]: no
// line of others begins with one of them.
const (
	MarkHolds = "✓ "
	MarkFails = "✗ "
)

// A Text is a text in the making, of lines that the program vouches for and of words that it passes on: a
// model's, a person's, a repository's. The zero value is an empty text.
type Text struct {
	lines   []string
	vouched []int
}

// Vouch adds lines that the program vouches for. They may quote others only within a line.
func (t *Text) Vouch(text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if strings.TrimSpace(line) != "" {
			t.vouched = append(t.vouched, len(t.lines))
			t.lines = append(t.lines, line)
		}
	}
}

// Add adds lines for which nobody vouches.
func (t *Text) Add(text string) {
	if text = strings.Trim(text, "\n"); strings.TrimSpace(text) != "" {
		t.lines = append(t.lines, strings.Split(text, "\n")...)
	}
}

// String returns the text without marks.
func (t *Text) String() string { return strings.Join(t.lines, "\n") }

// Vouched returns the numbers of the lines, from 0, that the program vouches for.
func (t *Text) Vouched() []int { return slices.Clone(t.vouched) }

// A Piece is a line that the program vouches for, or a run of other lines.
type Piece struct {
	Text    string
	Vouched bool
}

// Pieces splits the line's text into pieces, in order.
func (l Line) Pieces() (pieces []Piece) {
	var run []string
	flush := func() {
		if run != nil {
			pieces = append(pieces, Piece{Text: strings.Join(run, "\n")})
		}
		run = nil
	}
	for i, text := range strings.Split(l.Text, "\n") {
		if !slices.Contains(l.Vouched, i) {
			run = append(run, text)
			continue
		}
		flush()
		pieces = append(pieces, Piece{Text: text, Vouched: true})
	}
	flush()
	return pieces
}

// Marked returns the line's text with the mark before each line that the program vouches for, as plain text.
func (l Line) Marked() string {
	pieces := l.Pieces()
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = l.mark(p.Text, p.Vouched)
	}
	return strings.Join(texts, "\n")
}

// mark takes marks out of a piece's text, and puts one before it if the program vouches for it.
func (l Line) mark(text string, vouched bool) string {
	switch {
	case !vouched && len(l.Vouched) > 0: // beside lines of the program, lists keep their bullets
		return WithoutMark(outsideCode(text, func(line string) string {
			return verdict.ReplaceAllString(line, "$1")
		}))
	case !vouched:
		return Unmark(text)
	}
	text = WithoutMark(text)
	if strings.HasPrefix(text, MarkHolds) || strings.HasPrefix(text, MarkFails) {
		return text
	}
	return Mark + " " + text
}

// Mark is like [Line.Marked] for one piece whose text was rendered.
func (l Line) Mark(rendered string, p Piece) string { return l.mark(rendered, p.Vouched) }

// FirstOnly returns the numbers in vouched that remain when a text is cut to its first line.
func FirstOnly(vouched []int) []int {
	if slices.Contains(vouched, 0) {
		return []int{0}
	}
	return nil
}

// lookalikes holds the characters that may be taken for the mark: everything that Unicode calls a diamond or
// a lozenge, the enclosing diamond, a few stars and letters of that shape, and the sign for a character that
// cannot be shown, which is a diamond, too. No other character becomes one of them by normalization.
const lookalikes = "\u20dfᛜᛝ⋄⌑⌺⍚⎏⏣◆◇◈◊♢♦⛋✦✧❖⟐⟠⟡⟢⟣⧫⧰⧱⬖⬗⬘⬙⬥" +
	"⬦⬧⬨⬩⬪⬫⯁⯌⯞ꖴ�💠🔶🔷🔸🔹🞗🞘🞙🞚🞛🞜🞝🞞🞟🞠🟄🟅🟆🮮🮿"

// diamondName matches Slack's name of an emoji that is a diamond, with its colons.
var diamondName = regexp.MustCompile(`:((?:[a-z0-9_+'-]*(?:diamond|kite|rhomb|lozenge|gem)[a-z0-9_+'-]*)):`)

// leadingMark matches marks, and what looks like them, at the beginning of a line.
var leadingMark = regexp.MustCompile(
	"(?m)" + lineStart + `[` + lookalikes + `][` + lookalikes + `\p{Mn}\p{Cf}\p{Z}\t]*`,
)

// WithoutMark takes the mark, and what looks like it, from the beginning of each line, and replaces it
// elsewhere by a dot that nobody takes for it.
func WithoutMark(text string) string {
	text = leadingMark.ReplaceAllString(text, "$1")
	text = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII && strings.ContainsRune(lookalikes, r) {
			return '·'
		}
		return r
	}, text)
	return diamondName.ReplaceAllString(text, "$1")
}

// lineStart matches what may precede the first visible character of a line: blanks, letters that show
// nothing, marks of quotes, lists, headings and emphasis, and the address of a link.
const lineStart = "^((?:[ \\t\\r\\p{Z}\u115f\u1160\u3164\uffa0*_~>#+-]|&gt;|\\d{1,3}[.)]\\s|<[^|>\\n]*\\|)*)"

// sign matches signs that a line begins with: check marks, shapes, pictures, and names of emoji.
var sign = regexp.MustCompile(
	lineStart + `((?:[` + lookalikes +
		`\p{So}\p{Co}\p{Mn}\p{Me}\p{Cf}✓✔✗✘•·∙⋅●○■□▪▫▶►→⇒√×]|` +
		`:[a-z0-9_+'-]{2,}:)[\s\p{Z}\p{Mn}\x{200d}\x{115f}\x{1160}\x{3164}\x{ffa0}]*)+`,
)

// boxes are signs with which people draw trees and tables.
var boxes = regexp.MustCompile(`[\x{2500}-\x{259f}]`)

// Unmark removes from a text of others whatever could make it look like the program's: every mark, and each
// sign or emoji at the beginning of a line. Lists keep their bullets, as "-", and blocks of code their signs.
func Unmark(text string) string {
	return WithoutMark(outsideCode(text, func(line string) string {
		return sign.ReplaceAllStringFunc(line, unsign)
	}))
}

// outsideCode changes each line of a text that is in no block of code.
func outsideCode(text string, change func(line string) string) string {
	lines := strings.Split(text, "\n")
	code := false
	for i, line := range lines {
		switch {
		case strings.TrimSpace(line) == "```":
			code = !code
		case !code:
			lines[i] = change(line)
		}
	}
	return strings.Join(lines, "\n")
}

// verdict matches signs at the beginning of a line that say whether something holds.
var verdict = regexp.MustCompile(lineStart +
	`(?:[•·∙⋅\s\p{Z}\p{Mn}\p{Cf}\x{2800}]*(?:[✓✔✅☑🗸🗹✗✘❌❎✖✕☒☓🗴🗵🗶🗷√⍻🮱ꪜ×]|` +
	`:[a-z_]*(?:check|check_mark|cross_mark|x):)[\s\p{Z}\p{Mn}\p{Cf}\x{2800}]*)+`)

// unsign returns the beginning of a line without its signs.
func unsign(start string) string {
	m := sign.FindStringSubmatch(start)
	signs := strings.TrimSpace(start[len(m[1]):])
	switch {
	case boxes.MatchString(signs) && !strings.ContainsAny(signs, "■□▪▫▶►●○"):
		return start
	case strings.Trim(signs, "•·∙⋅ ") == "":
		return m[1] + "- "
	}
	return m[1]
}

// A Posting is one reply that has to be in the thread exactly once: one or more lines that were said
// within about a second of each other.
type Posting struct {
	// natural key; it is sent as message metadata, so that the message can be
	// found if Slack's answer was lost
	Key     string
	Session string
	Thread  Thread
	Lines   []Line
	// Repositories holds the names of all repositories that the session was about, the present one last.
	// The last name is empty before one is chosen.
	Repositories []string
	// Reaction makes this posting a reaction on the message OnTS instead of a reply.
	Reaction string
	OnTS     string
	// EphemeralTo is a Slack user id. It makes this posting the text Ephemeral, which only this person sees.
	// Whether it was shown cannot be looked up, so it is tried only once. If the posting has a line, that is
	// shown instead, and is posted in the thread if it cannot be shown to the person alone, or may not have
	// been. It names the person then: EphemeralName.
	EphemeralTo, Ephemeral, EphemeralName string

	// it was tried before: look it up before posting again
	Tried   bool
	TriedAt time.Time // of a posting that Begins a thread: when it was tried first
	// Begins makes this posting the first message of a new thread in the channel of Thread, which has no TS.
	Begins bool
	// Rewrites is the key of an earlier posting whose message, at OnTS, this one rewrites: with other
	// lines and buttons, or with the same lines, without buttons, and with Note below them.
	Rewrites, Note string
	// Brief shortens the rewritten message to its first line, since a newer message has the rest.
	Brief bool
	// Existing is how many of the lines, counted from the first, are already in the message of Rewrites.
	// The other lines are added to it, or posted as a reply of their own if Slack does not accept the
	// edit.
	Existing int
	// Sign makes this posting a sign that the bot is at work, which is shown until the answer is there.
	Sign bool
	// EndsSign makes this posting the end of a sign: its message, at OnTS, is deleted.
	EndsSign bool
	// Card makes this posting the card of a run.
	Card *Card
	// Pin pins the message OnTS to its channel. Nothing is posted.
	Pin bool
}

// Text returns the posting's whole content.
func (p Posting) Text() string {
	parts := make([]string, len(p.Lines))
	for i, l := range p.Lines {
		parts[i] = l.String()
	}
	return strings.Join(parts, "\n")
}
