package slackhtml

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/bobbinhq/bobbin/bot/pagestyle"
)

//go:embed blocks.html
var files embed.FS

// A block is a Block Kit block, or an element within a block. All kinds share this struct, as they share the
// names of their fields.
type block struct {
	Type     string
	ID       string `json:"block_id"`
	ActionID string `json:"action_id"`
	labels
	parts
	control
	rich

	page page // set by settle
}

// labels holds a block's texts.
type labels struct {
	Text, Title, Label, Hint, Placeholder words

	AltText string `json:"alt_text"`
	Status  string
}

// parts holds the blocks and elements within a block.
type parts struct {
	Fields          []words
	Elements, Tasks []block
	Accessory       *block
	Element         *block
	Details         *block
	Output          *block
	Rows            [][]json.RawMessage
}

// control holds the properties of buttons, menus and inputs.
type control struct {
	Style     json.RawMessage // a string, but an object in rich text
	URL       string
	Value     json.RawMessage // a string, but a number in a table
	VisibleTo []string        `json:"visible_to_user_ids"`
	Options   []option
	Initial   string  `json:"initial_value"`
	Chosen    *option `json:"initial_option"`
	Confirm   *question
	Multiline bool
	Optional  bool
	MinLength int `json:"min_length"`
	MaxLength int `json:"max_length"`
}

// rich holds what an element of rich text refers to.
type rich struct {
	UserID    string `json:"user_id"`
	ChannelID string `json:"channel_id"`
	GroupID   string `json:"usergroup_id"`
	Range     string
	Name      string
}

type option struct {
	Text, Description words
	Value, URL        string
}

// A question is asked before an element is used.
type question struct {
	Title, Text, Confirm, Deny words
	Style                      string
}

// A Press is what a button of the page sends: an action, or an option of a menu. If Question is set, the page
// asks it first, in a popover with the ID DOM.
type Press struct {
	Name, Value, DOM string
	Text             template.HTML
	Question         template.HTML
	*question
}

// words is a plain string or a text object.
type words struct {
	Markup bool
	Text   string
}

// UnmarshalJSON accepts a string or a text object, and ignores anything else.
func (w *words) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &w.Text) == nil {
		return nil
	}
	var object struct{ Type, Text string }
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil //nolint:nilerr // a text in a form of its own is left out
	}
	w.Markup = object.Type == "mrkdwn"
	w.Text = object.Text
	return nil
}

// A View is the surrounding in which blocks are shown.
type View struct {
	Errors map[string]string // errors of inputs, by block ID
	Prefix string            // prefix of the element IDs, unique in the page
	Home   bool              // the blocks are those of the app's home
}

// page is a View with its Renderer.
type page struct {
	Renderer
	View
}

var templates = template.Must(
	template.New("").Funcs(template.FuncMap{"emoji": Emoji}).ParseFS(files, "blocks.html"))

// Blocks returns the HTML of a JSON list of blocks. A block that cannot be shown becomes a line that says so.
func (r Renderer) Blocks(raw json.RawMessage, v View) template.HTML {
	var list []block
	if err := json.Unmarshal(raw, &list); err != nil {
		return template.HTML(`<p class="unknown">These blocks cannot be read.</p>`)
	}
	var b bytes.Buffer
	for i := range list {
		list[i].settle(page{r, v})
		if err := templates.ExecuteTemplate(&b, "block", &list[i]); err != nil {
			fmt.Fprintf(&b, `<p class="unknown">This block cannot be shown: %s</p>`,
				html.EscapeString(err.Error()))
		}
	}
	return template.HTML(b.String()) //nolint:gosec // made by html/template
}

// settle sets the page of a block and of everything within it, and passes the block's ID on to parts without
// one.
func (b *block) settle(p page) {
	b.page = p
	for _, list := range [][]block{b.Elements, b.Tasks} {
		for i := range list {
			list[i].settle(p)
			if list[i].ID == "" {
				list[i].ID = b.ID
			}
		}
	}
	for _, one := range []*block{b.Accessory, b.Element, b.Details, b.Output} {
		if one != nil {
			one.settle(p)
			if one.ID == "" {
				one.ID = b.ID
			}
		}
	}
}

// Show returns the HTML of a text, either plain or in Slack's markup.
func (b *block) Show(w words) template.HTML {
	if w.Markup {
		return b.page.Text(w.Text)
	}
	// escaped
	return template.HTML(strings.ReplaceAll(escape(w.Text), "\n", "<br>")) //nolint:gosec
}

// AsMarkup returns the text of an element that is itself a text object.
func (b *block) AsMarkup() words { return words{Markup: true, Text: b.Text.Text} }

// Markdown returns the HTML of a markdown block. HTML in the Markdown is left out.
func (b *block) Markdown() template.HTML {
	var out bytes.Buffer
	if goldmark.New(goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.TaskList,
	)).Convert([]byte(b.Text.Text), &out) != nil {
		return template.HTML(html.EscapeString(b.Text.Text)) //nolint:gosec // escaped
	}
	return template.HTML(out.String()) //nolint:gosec // goldmark leaves HTML out unless it is told otherwise
}

// Kind returns the style of a button: primary, danger or plain.
func (b *block) Kind() string {
	var style string
	_ = json.Unmarshal(b.Style, &style)
	if style == "primary" || style == "danger" {
		return style
	}
	return "plain"
}

// Visible reports whether the button is visible to the reader.
func (b *block) Visible() bool {
	return len(b.VisibleTo) == 0 || slices.Contains(b.VisibleTo, b.page.Me)
}

// DOM returns the element's HTML id.
func (b *block) DOM() string { return b.page.Prefix + b.ID + "-" + b.ActionID }

// Press returns what the button sends.
func (b *block) Press() Press {
	if b.page.Home {
		var value string
		_ = json.Unmarshal(b.Value, &value) // anything else is no value of a button
		return b.press(InHome+b.ActionID, value, b.DOM(), b.Text)
	}
	return b.press("action", b.ActionID, b.DOM(), b.Text)
}

// InHome begins the name of a form's field with which a button of the app's home is sent. Several buttons
// there have the same action, and different values.
const InHome = "in-home:"

// InMenu begins the name of a form's field with which an option of an overflow menu is sent.
const InMenu = "in-menu:"

// Choices returns what the options of an overflow menu send. An option with an address opens it instead.
func (b *block) Choices() (list []Choice) {
	for i, o := range b.Options {
		list = append(list, Choice{
			Press: b.press(InMenu+b.ActionID, o.Value, b.DOM()+"-"+strconv.Itoa(i), o.Text),
			URL:   o.URL,
			About: o.Description.Text,
		})
	}
	return list
}

// A Choice is an option of an overflow menu.
type Choice struct {
	Press
	URL, About string
}

func (b *block) press(name, value, dom string, text words) Press {
	p := Press{Name: name, Value: value, DOM: dom, Text: b.Show(text), question: b.Confirm}
	if b.Confirm != nil {
		p.Question = b.Show(b.Confirm.Text)
	}
	return p
}

// Wrong returns the error of an input, or an empty string.
func (b *block) Wrong() string { return b.page.Errors[b.ID] }

// Word returns a task's status in a word for people.
func (b *block) Word() string {
	switch b.Status {
	case "complete":
		return "done"
	case "in_progress":
		return "at work"
	case "error":
		return "failed"
	}
	return "waits"
}

// Ordered reports whether a list of rich text is numbered.
func (b *block) Ordered() bool { return b.Kind() == "plain" && string(b.Style) == `"ordered"` }

// Rich returns the HTML of an element of rich text in its style.
func (b *block) Rich() template.HTML {
	var out strings.Builder
	switch b.Type {
	case "user":
		b.page.mark(&out, "@"+b.UserID)
	case "channel":
		b.page.mark(&out, "#"+b.ChannelID)
	case "usergroup":
		b.page.mark(&out, "!subteam^"+b.GroupID)
	case "broadcast":
		b.page.mark(&out, "!"+b.Range)
	case "emoji":
		out.WriteString(string(Emoji(b.Name)))
	case "link":
		b.page.anchor(&out, b.URL, html.EscapeString(b.Text.Text))
	default:
		out.WriteString(strings.ReplaceAll(escape(b.Text.Text), "\n", "<br>"))
	}
	var style struct{ Bold, Italic, Strike, Code bool }
	_ = json.Unmarshal(b.Style, &style)
	text := out.String()
	for _, s := range []struct {
		on  bool
		tag string
	}{{style.Code, "code"}, {style.Bold, "strong"}, {style.Italic, "em"}, {style.Strike, "s"}} {
		if s.on {
			text = "<" + s.tag + ">" + text + "</" + s.tag + ">"
		}
	}
	return template.HTML(text) //nolint:gosec // every part was escaped
}

// Preformatted returns the highlighted code of a rich_text_preformatted element.
func (b *block) Preformatted() template.HTML {
	var text strings.Builder
	for _, e := range b.Elements {
		text.WriteString(e.Text.Text + e.URL)
	}
	return pagestyle.Code("", text.String())
}

// Cells returns the rows of a table. A cell is a text or rich text.
func (b *block) Cells() (rows [][]template.HTML) {
	for _, row := range b.Rows {
		var cells []template.HTML
		for _, raw := range row {
			var cell block
			if json.Unmarshal(raw, &cell) != nil {
				continue
			}
			if cell.Type == "rich_text" {
				cells = append(cells, b.page.Blocks(append(append([]byte("["), raw...), ']'), b.page.View))
				continue
			}
			cells = append(cells, b.Show(cell.Text))
		}
		rows = append(rows, cells)
	}
	return rows
}
