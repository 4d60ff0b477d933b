package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/slackhtml"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/view"
)

// maxUpload is the limit of a form's body with all its files, in bytes.
const maxUpload = 20 << 20

// A deed carries out one action of a person in the chat. It returns the thread to open next, or an empty
// string to stay.
type deed func(f form) (thread string, err error)

// A form is a submitted form and the person who sent it.
type form struct {
	me   view.Person
	r    *http.Request
	site *Site
}

func (f form) get(name string) string {
	return strings.ReplaceAll(f.r.PostFormValue(name), "\r\n", "\n") // browsers send lines with CRLF
}

func (s *Site) deeds() map[string]deed {
	slack := s.Slack
	return map[string]deed{
		"say":  s.say,
		"step": func(f form) (string, error) { return s.Story.Take(f.get("step")) },
		"edit": func(f form) (string, error) {
			if err := f.owns(); err != nil {
				return "", err
			}
			return "", slack.Edit(f.get("channel"), f.get("ts"), s.wire(strings.TrimSpace(f.get("text"))))
		},
		"delete": func(f form) (string, error) {
			if err := f.owns(); err != nil {
				return "", err
			}
			return "", slack.Delete(f.get("channel"), f.get("ts"))
		},
		"react":      func(f form) (string, error) { return "", f.react() },
		"press":      func(f form) (string, error) { return "", f.press() },
		"press-home": func(f form) (string, error) { return "", f.pressHome() },
		"shortcut": func(f form) (string, error) {
			return "", slack.Shortcut(f.get("channel"), f.get("ts"), f.get("shortcut"), f.me.ID)
		},
		"submit":  func(f form) (string, error) { return "", f.submit() },
		"dismiss": func(f form) (string, error) { return "", f.withView(slack.Dismiss) },
		"join":    func(f form) (string, error) { return "", slack.Join(f.get("channel"), f.me.ID) },
	}
}

// do returns a handler that carries out a deed. It answers the page's script in JSON, and a plain form with a
// redirect to the page.
func (s *Site) do(d deed) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
		err := r.ParseMultipartForm(1 << 20)
		if errors.Is(err, http.ErrNotMultipart) {
			err = r.ParseForm()
		}
		back := backTo(r.PostFormValue("back"))
		thread := ""
		if err == nil {
			var me view.Person
			if me, err = s.Person(r.PostFormValue("me")); err == nil {
				thread, err = d(form{me, r, s})
			}
		} else {
			err = fmt.Errorf("that is more than %d MB, or was cut off", maxUpload>>20)
		}
		if thread != "" {
			if parts := strings.Split(strings.Trim(back, "/"), "/"); len(parts) >= 1 {
				back = "/" + parts[0] + "/" + s.Channel + "/" + thread
			}
		}
		said := ""
		if err != nil {
			said = strings.TrimPrefix(err.Error(), "slacktest: ")
		}
		if strings.Contains(r.Header.Get("Accept"), "application/json") {
			w.Header().Set("Content-Type", "application/json")
			if err != nil {
				w.WriteHeader(http.StatusUnprocessableEntity)
			}
			_ = json.NewEncoder(w).Encode(map[string]string{"to": back, "error": said})
			return
		}
		if err != nil {
			http.Error(w, said, http.StatusUnprocessableEntity)
			return
		}
		http.Redirect(w, r, back, http.StatusSeeOther)
	}
}

// backTo returns path if it is an absolute path on this site, and "/" otherwise.
func backTo(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.Contains(path, `\`) {
		return "/"
	}
	return path
}

var slash = regexp.MustCompile(`(?s)^(/[a-z][a-z-]*)(?:\s+(.*))?$`)

// say posts a message, runs a slash command, or shares files.
func (s *Site) say(f form) (string, error) {
	text := strings.TrimSpace(f.get("text"))
	thread := f.get("thread")
	channel := f.get("channel")
	files, err := f.files()
	if err != nil {
		return "", err
	}
	if m := slash.FindStringSubmatch(text); m != nil && len(files) == 0 {
		known := slices.ContainsFunc(s.Commands, func(c view.Command) bool { return c.Name == m[1] })
		switch {
		case m[1] == "/invite":
			return "", s.invite(channel, m[2])
		case !known:
			return "", fmt.Errorf("%s is not a command here. The commands are %s", m[1], s.commandNames())
		case thread != "":
			return "", fmt.Errorf("in Slack, %s does not work in threads: write @%s %s there", m[1],
				s.Slack.App().Name, strings.TrimPrefix(m[1], "/"))
		}
		return "", s.Slack.Command(channel, f.me.ID, m[1], m[2])
	}
	switch {
	case len(files) > 0:
		_, err = s.Slack.Attach(channel, f.me.ID, s.wire(text), thread, files...)
	case text == "":
		return "", errors.New("write something first")
	default:
		_, err = s.Slack.Say(channel, f.me.ID, s.wire(text), thread)
	}
	return "", err
}

// invite adds somebody to a channel, as Slack's own command does: people try it where Bobbin hears nothing.
func (s *Site) invite(channel, name string) error {
	id, found := strings.CutPrefix(s.idOf("@", strings.TrimPrefix(strings.TrimSpace(name), "@")), "@")
	if !found {
		return fmt.Errorf("write whom to invite: /invite @%s", s.Slack.App().Name)
	}
	return s.Slack.Join(channel, id)
}

func (s *Site) commandNames() string {
	var names []string
	for _, c := range s.Commands {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

func (f form) files() (list []slacktest.Upload, err error) {
	if f.r.MultipartForm == nil {
		return nil, nil
	}
	for _, h := range f.r.MultipartForm.File["file"] {
		content, err := contentOf(h)
		if err != nil {
			return nil, err
		}
		if h.Filename == "" || content == "" {
			continue
		}
		list = append(list, slacktest.Upload{File: slacktest.File{Name: h.Filename}, Content: content})
	}
	return list, nil
}

func contentOf(h *multipart.FileHeader) (string, error) {
	f, err := h.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	return string(raw), err
}

var (
	escape   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	named    = regexp.MustCompile(`(^|[\s(,;:"'])([@#])([a-zA-Z0-9][\w.-]*[\w]|[a-zA-Z0-9])`)
	bareLink = regexp.MustCompile(`https?://[^\s<>|]*[^\s<>|.,;:!?)'"]`)
)

// wire converts typed text into the markup that Slack's clients send: escaped, with IDs for names, and links
// in angle brackets. Code is only escaped.
func (s *Site) wire(text string) string {
	parts := strings.Split(escape.Replace(text), "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = bareLink.ReplaceAllString(parts[i], "<$0>")
		parts[i] = named.ReplaceAllStringFunc(parts[i], func(found string) string {
			m := named.FindStringSubmatch(found)
			if id := s.idOf(m[2], m[3]); id != "" {
				return m[1] + "<" + id + ">"
			}
			return found
		})
	}
	return strings.Join(parts, "`")
}

// idOf returns the markup for a named person, channel or group mention such as @here, or an empty string if
// there is none.
func (s *Site) idOf(mark, name string) string {
	if mark == "#" {
		for _, ch := range s.Slack.Channels() {
			if ch.Name == name && ch.Kind != slacktest.IM {
				return "#" + ch.ID
			}
		}
		return ""
	}
	if slices.Contains([]string{"here", "channel", "everyone"}, name) {
		return "!" + name
	}
	for _, u := range s.Slack.Users() {
		if strings.EqualFold(u.Name, name) && u.ID != "USLACKBOT" {
			return "@" + u.ID
		}
	}
	return ""
}

// owns returns an error unless the person wrote the message.
func (f form) owns() error {
	for _, m := range f.site.Slack.Thread(f.get("channel"), f.get("ts")) {
		if m.TS == f.get("ts") && m.User == f.me.ID {
			return nil
		}
	}
	return errors.New("that message is somebody else's")
}

func (f form) react() error {
	slack := f.site.Slack
	channel := f.get("channel")
	ts := f.get("ts")
	name := f.get("emoji")
	for _, m := range slack.Thread(channel, ts) {
		for _, r := range m.Reactions {
			if m.TS == ts && r.Name == name && slices.Contains(r.Users, f.me.ID) {
				return slack.Unreact(channel, ts, f.me.ID, name)
			}
		}
	}
	return slack.React(channel, ts, f.me.ID, name)
}

// press presses a button under a message, or chooses an option of a menu there.
func (f form) press() error {
	slack := f.site.Slack
	channel := f.get("channel")
	ts := f.get("ts")
	action := f.get("action")
	for name := range f.r.PostForm {
		if menu, is := strings.CutPrefix(name, slackhtml.InMenu); is {
			return slack.Choose(channel, ts, menu, f.me.ID, f.get(name))
		}
	}
	if value := f.get(action); value != "" {
		return slack.Choose(channel, ts, action, f.me.ID, value)
	}
	return slack.Click(channel, ts, action, f.me.ID)
}

// pressHome presses a button in the app's home, or chooses an option of a menu there.
func (f form) pressHome() error {
	for name := range f.r.PostForm {
		for _, kind := range []string{slackhtml.InHome, slackhtml.InMenu} {
			if action, is := strings.CutPrefix(name, kind); is {
				return f.site.Slack.ClickHome(f.me.ID, action, f.get(name))
			}
		}
	}
	return errors.New("that button is not in the home any more")
}

func (f form) withView(do func(id string) error) error {
	for _, v := range f.site.Slack.Views() {
		if v.ID == f.get("view") && v.User == f.me.ID {
			return do(v.ID)
		}
	}
	return errors.New("that window is closed")
}

// submit submits a modal with its inputs, whose form fields are named "in:" and their action ID.
func (f form) submit() error {
	entered := map[string]string{}
	for name, values := range f.r.PostForm {
		if action, is := strings.CutPrefix(name, "in:"); is && values[0] != "" {
			entered[action] = f.get(name)
		}
	}
	return f.withView(func(id string) error { return f.site.Slack.Submit(id, entered) })
}
