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

// ShownName returns the name without the mark, as one line without slashes and backticks.
func (c File) ShownName() string {
	name := strings.NewReplacer("/", "-", `\`, "-", "`", "'").Replace(mrkdwn.OneLine(c.Name, 100))
	return cmp.Or(name, "file.txt")
}

// MarkedName returns the name of the upload with the mark, such as plan-1f0c93ab77.md.
func (c File) MarkedName() string {
	ext := path.Ext(c.ShownName())
	return strings.TrimSuffix(c.ShownName(), ext) + "-" + c.Mark + ext
}

// Unfit returns why the file cannot be uploaded, or an empty string if it can.
func (c File) Unfit() string {
	switch size := len(c.Content()); {
	case size == 0:
		return "it is empty"
	case size > MaxFile:
		return "it is larger than 1 MiB"
	}
	return ""
}

// Content returns the content that is uploaded: Data, or Text if Data is empty.
func (c File) Content() string {
	if len(c.Data) > 0 {
		return string(c.Data)
	}
	return c.Text
}
