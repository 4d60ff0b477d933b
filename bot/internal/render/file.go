package render

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

const (
	MaxFile    = 1 << 20
	fileMarker = "#file"
)

// A File is one file of a posting in the form in which it is uploaded.
type File struct {
	Key   string // key of the line that replaces the file if Slack refuses it
	Mark  string // part of the uploaded name by which the file is recognised
	Agent string
	workflow.File
	Instead []Part // replies that are posted if Slack refuses the file
}

// filesOf returns the files of a posting. The same posting always has the same files.
func filesOf(p *workflow.Posting) (list []File) {
	for _, l := range p.Lines {
		for _, f := range l.Files {
			c := File{Key: fmt.Sprintf("%s%s%d", p.Key, fileMarker, len(list)+1), Agent: l.Agent, File: f}
			c.Mark = markOf(c.Key)
			list = append(list, c)
		}
	}
	return list
}

func markOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:5])
}

// DisplayName returns the name without the mark, as one line without slashes and backticks.
func (f File) DisplayName() string {
	name := strings.NewReplacer("/", "-", `\`, "-", "`", "'").Replace(mrkdwn.OneLine(f.Name, 100))
	return cmp.Or(name, "file.txt")
}

// MarkedName returns the name of the upload with the mark, such as plan-1f0c93ab77.md.
func (f File) MarkedName() string {
	ext := path.Ext(f.DisplayName())
	return strings.TrimSuffix(f.DisplayName(), ext) + "-" + f.Mark + ext
}

// Unfit returns why the file cannot be uploaded, or an empty string if it can.
func (f File) Unfit() string {
	switch size := len(f.Content()); {
	case size == 0:
		return "it is empty"
	case size > MaxFile:
		return "it is larger than 1 MiB"
	}
	return ""
}

// Content returns the content that is uploaded: Data, or Text if Data is empty.
func (f File) Content() string {
	if len(f.Data) > 0 {
		return string(f.Data)
	}
	return f.Text
}
