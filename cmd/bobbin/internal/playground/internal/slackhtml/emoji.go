package slackhtml

import (
	"embed"
	"html"
	"html/template"
	"io/fs"
	"strings"
)

// EmojiPath is where the page has to serve EmojiFiles: emoji are pictures, because not every machine has a
// font with them.
const EmojiPath = "/-/assets/emoji/"

//go:embed emoji/*.svg
var emojiFolder embed.FS

// EmojiFiles returns the pictures of the emoji.
func EmojiFiles() fs.FS {
	files, _ := fs.Sub(emojiFolder, "emoji") // cannot fail: the folder is embedded
	return files
}

// An emoji is a picture that the page has, with the character and the names that stand for it. Others are
// shown as they are written.
type emoji struct {
	file, character string
	names           []string
}

var emojis = []emoji{
	{"eyes", "👀", nil},
	{"white_check_mark", "✅", []string{"heavy_check_mark"}},
	{"x", "❌", nil},
	{"thumbsup", "👍", []string{"+1"}},
	{"thumbsdown", "👎", []string{"-1"}},
	{"heart", "❤️", nil},
	{"bug", "🐛", []string{"beetle"}},
	{"tada", "🎉", nil},
	{"hourglass", "⏳", []string{"hourglass_flowing_sand"}},
	{"warning", "⚠️", nil},
	{"rocket", "🚀", nil},
	{"wave", "👋", nil},
	{"thinking_face", "🤔", nil},
	{"smile", "😄", []string{"grinning"}},
	{"pray", "🙏", nil},
	{"octagonal_sign", "🛑", nil},
	{"raised_hands", "🙌", nil},
	{"memo", "📝", nil},
	{"mag", "🔍", nil},
	{"lock", "🔒", nil},
	{"robot_face", "🤖", nil},
	{"thread", "🧵", nil},
	{"frame", "🖼️", []string{"frame_with_picture"}},
}

var (
	emojiByName = func() map[string]template.HTML {
		m := map[string]template.HTML{}
		for _, e := range emojis {
			for _, name := range append([]string{e.file}, e.names...) {
				m[name] = e.picture()
			}
		}
		return m
	}()
	emojiInText = func() *strings.Replacer {
		var pairs []string
		for _, e := range emojis {
			bare := strings.TrimSuffix(e.character, "\ufe0f")
			pairs = append(pairs, bare+"\ufe0f", string(e.picture()), bare, string(e.picture()))
		}
		return strings.NewReplacer(pairs...)
	}()
)

func (e emoji) picture() template.HTML {
	source := EmojiPath + e.file + ".svg"
	return template.HTML(`<img class="emoji" src="` + source + `" alt="` + e.character + `">`) //nolint:gosec
}

// Emoji returns the picture of the emoji with that name, or the escaped name between colons.
func Emoji(name string) template.HTML {
	if picture, known := emojiByName[name]; known {
		return picture
	}
	return template.HTML(":" + html.EscapeString(name) + ":") //nolint:gosec // escaped
}

// escape returns the HTML of plain text, with emoji as pictures.
func escape(text string) string { return emojiInText.Replace(html.EscapeString(text)) }
