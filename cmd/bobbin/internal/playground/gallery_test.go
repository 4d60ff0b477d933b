package playground

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"image"
	"image/draw"
	"image/png"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/pagestyle"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/film"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/slackhtml"
)

const (
	galleryPath = "../../../../bot/internal/render/testdata/gallery"
	sheetsDocs  = "../../../../docs/pictures/gallery"
	sheetsFile  = "testdata/gallery/sheets.txt"
)

// TestEveryMessageIsOnASheet checks that each file of the bot's gallery is on exactly one contact sheet, and
// that the page with the pictures of the sheets shows each of them.
func TestEveryMessageIsOnASheet(t *testing.T) {
	t.Parallel()
	sheets := readSheets(t)
	gallery := os.DirFS(filepath.FromSlash(galleryPath))
	require.Empty(t, fill(t, sheets, gallery), "kinds of messages on no sheet: list them in "+sheetsFile)
	index, err := os.ReadFile(filepath.Join(filepath.FromSlash(sheetsDocs), "README.md"))
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, s := range sheets {
		for _, kind := range s.kinds {
			require.False(t, listed[kind], "%s is on two sheets", kind)
			listed[kind] = true
			shown := slices.ContainsFunc(s.Messages, func(m sheetMessage) bool { return m.kind == kind })
			require.True(t, shown, "%s: no message is of the kind %s", sheetsFile, kind)
		}
		require.Contains(t, string(index), "("+s.Name+".png)")
		if os.Getenv("BOBBIN_PICTURES") != "" { // they are being made
			continue
		}
		picture, err := os.Stat(filepath.Join(filepath.FromSlash(sheetsDocs), s.Name+".png"))
		require.NoError(t, err, "make pictures makes it")
		require.Less(t, picture.Size(), int64(maxSheet))
	}
}

// maxSheet is the limit of the picture of a sheet in bytes.
const maxSheet = 400 << 10

// TestPicturesOfTheGallery takes the pictures of the contact sheets: light ones for docs/pictures/gallery,
// and dark ones and ones on a phone beside the other screenshots. BOBBIN_GALLERY names another gallery, such
// as that of an earlier commit.
func TestPicturesOfTheGallery(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("BOBBIN_PICTURES")
	if dir == "" {
		t.Skip("nobody asked for pictures") // TestEveryMessageIsOnASheet checks the sheets in every run
	}
	dir = filepath.Join(dir, "gallery")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	chromium(t)
	from := filepath.FromSlash(galleryPath)
	other := os.Getenv("BOBBIN_GALLERY")
	if other != "" {
		from = other
	}
	sheets := readSheets(t)
	if rest := fill(t, sheets, os.DirFS(from)); len(rest) > 0 {
		require.NotEmpty(t, other, rest)
		more := &sheet{Name: "others", Title: "Kinds of messages that there are no more", kinds: rest}
		fill(t, []*sheet{more}, os.DirFS(from))
		sheets = append(sheets, more)
	}
	server := httptest.NewServer(sheetPages(t, sheets))
	t.Cleanup(server.Close)
	b := open(t, server.URL+"/"+sheets[0].Name, 1200, 800)
	for _, s := range sheets {
		b.resize(1200, 800)
		b.prefers("light")
		b.do(chromedp.Navigate(server.URL + "/" + s.Name))
		b.sees("[...document.images].every((i) => i.complete)")
		require.NoError(t, os.WriteFile(filepath.Join(dir, s.Name+".png"), b.whole(), 0o644))
		b.prefers("dark")
		b.shootWhole("gallery-" + s.Name + "-dark")
		b.resize(390, 844)
		b.shootSideBySide("gallery-" + s.Name + "-phone-dark")
		b.prefers("light")
		b.shootSideBySide("gallery-" + s.Name + "-phone")
	}
}

// whole returns a screenshot of the whole page with few colours.
func (t *tab) whole() []byte {
	t.t.Helper()
	picture, err := chromedp.Run(t.ctx, chromedp.FullScreenshot(100))
	require.NoError(t.t, err)
	small, err := film.Reduce(picture)
	require.NoError(t.t, err)
	return small
}

// shootSideBySide saves a screenshot of a whole sheet, like shoot, in several columns, since that of a phone
// is too long to look at.
func (t *tab) shootSideBySide(name string) {
	t.t.Helper()
	dir := os.Getenv("BOBBIN_SCREENSHOTS")
	if dir == "" {
		return
	}
	ends, err := chromedp.Run(t.ctx, chromedp.Evaluate[[]int](
		"[...document.querySelectorAll('figure')].map((f) => Math.ceil(f.getBoundingClientRect().bottom + "+
			"scrollY))"))
	require.NoError(t.t, err)
	picture, err := png.Decode(bytes.NewReader(t.whole()))
	require.NoError(t.t, err)
	var out bytes.Buffer
	require.NoError(t.t, png.Encode(&out, sideBySide(picture, ends, 1600)))
	require.NoError(t.t, os.WriteFile(filepath.Join(dir, name+".png"), out.Bytes(), 0o644))
}

// sideBySide cuts a picture at some of the given heights into columns of at most that height, if the heights
// allow it.
func sideBySide(picture image.Image, cuts []int, height int) image.Image {
	width := picture.Bounds().Dx()
	starts := []int{0}
	for i, cut := range cuts[:len(cuts)-1] {
		if cuts[i+1]-starts[len(starts)-1] > height {
			starts = append(starts, cut)
		}
	}
	ends := append(slices.Clone(starts[1:]), picture.Bounds().Dy())
	tallest := 0
	for i, end := range ends {
		tallest = max(tallest, end-starts[i])
	}
	out := image.NewRGBA(image.Rect(0, 0, width*len(starts), tallest))
	draw.Draw(out, out.Bounds(), image.NewUniform(picture.At(0, 0)), image.Point{}, draw.Src)
	for i, end := range ends {
		column := image.Rect(i*width, 0, (i+1)*width, end-starts[i])
		draw.Draw(out, column, picture, image.Pt(0, starts[i]), draw.Src)
	}
	return out
}

// A sheet is a page with messages of some kinds, each below its name.
type sheet struct {
	Name, Title string
	Messages    []sheetMessage
	kinds       []string
}

// A sheetMessage is a file of the gallery, as the template takes it.
type sheetMessage struct {
	Name  string
	Home  bool
	Long  bool // only its begin is shown
	Body  template.HTML
	Menus []string // what each overflow menu offers
	kind  string
}

// readSheets reads sheetsFile: of each sheet its name and title, and below them the kinds of its messages.
// A kind is the name of a file without its number; those of the folder lines are named without it.
func readSheets(t *testing.T) (sheets []*sheet) {
	t.Helper()
	raw, err := os.ReadFile(filepath.FromSlash(sheetsFile))
	require.NoError(t, err)
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if name, title, is := strings.Cut(line, ": "); is {
			sheets = append(sheets, &sheet{Name: name, Title: title})
		} else if line != "" {
			last := sheets[len(sheets)-1]
			last.kinds = append(last.kinds, line)
		}
	}
	return sheets
}

var fileNumber = regexp.MustCompile(`-\d+$`)

// fill puts the files of a gallery on the sheets, in the order of their kinds, and returns the kinds that
// are on none.
func fill(t *testing.T, sheets []*sheet, gallery fs.FS) (rest []string) {
	t.Helper()
	files, err := fs.Glob(gallery, "*/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	byKind := map[string][]sheetMessage{}
	for _, file := range files {
		name := strings.TrimPrefix(strings.TrimSuffix(file, ".json"), "lines/")
		raw, err := fs.ReadFile(gallery, file)
		require.NoError(t, err)
		kind := fileNumber.ReplaceAllString(name, "")
		byKind[kind] = append(byKind[kind], readMessage(t, name, kind, raw))
	}
	for _, s := range sheets {
		for _, kind := range s.kinds {
			s.Messages = append(s.Messages, byKind[kind]...)
			delete(byKind, kind)
		}
	}
	for kind := range byKind {
		rest = append(rest, kind)
	}
	slices.Sort(rest)
	return rest
}

func readMessage(t *testing.T, name, kind string, raw []byte) sheetMessage {
	t.Helper()
	var file struct {
		Blocks json.RawMessage
	}
	require.NoError(t, json.Unmarshal(raw, &file), name)
	var blocks []struct {
		Elements []struct {
			Type    string
			Options []struct{ Text struct{ Text string } }
		}
	}
	require.NoError(t, json.Unmarshal(file.Blocks, &blocks), name)
	m := sheetMessage{
		Name: name,
		Home: path.Dir(name) == "home",
		Long: kind == "messages/long",
		Body: galleryOffice.Blocks(file.Blocks, slackhtml.View{Prefix: name}),
		kind: kind,
	}
	for _, b := range blocks {
		for _, e := range b.Elements {
			var offers []string
			for _, o := range e.Options {
				offers = append(offers, o.Text.Text)
			}
			if e.Type == "overflow" {
				m.Menus = append(m.Menus, strings.Join(offers, " · "))
			}
		}
	}
	return m
}

// galleryOffice is the workspace of the gallery.
var galleryOffice = slackhtml.Renderer{
	User:    named(map[string]string{"U0BEN": "ben"}),
	Channel: named(map[string]string{"C0BUGS": "bugs", "C0BUGS1": "bugs"}),
}

func named(names map[string]string) func(id string) (string, bool) {
	return func(id string) (string, bool) {
		name, known := names[id]
		if !known {
			name = id
		}
		return name, known
	}
}

// sheetPages serves each sheet at its name, and what the pages need.
func sheetPages(t *testing.T, sheets []*sheet) http.Handler {
	t.Helper()
	page, err := template.ParseFiles(filepath.FromSlash("testdata/gallery/sheet.html"))
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /look.css", pagestyle.ServeSheet)
	mux.Handle("GET /", http.FileServerFS(os.DirFS(filepath.FromSlash("internal/chat/assets"))))
	mux.Handle("GET "+slackhtml.EmojiPath,
		http.StripPrefix(slackhtml.EmojiPath, http.FileServerFS(slackhtml.EmojiFiles())))
	mux.HandleFunc("GET /bobbin.svg", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.FromSlash("../../../../bot/pagestyle/bobbin.svg"))
	})
	for _, s := range sheets {
		mux.HandleFunc("GET /"+s.Name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if err := page.Execute(w, s); err != nil {
				fmt.Fprint(w, err)
			}
		})
	}
	return mux
}
