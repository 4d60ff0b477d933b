package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// examineTranscription has half a second of silence transcribed. No clip of anybody is sent.
func (d *Doctor) examineTranscription(ctx context.Context, f *List) {
	t := d.settings.Transcriber
	took, err := t.Try(ctx)
	where := hostOf(t.BaseURL)
	var refused *model.Error
	switch {
	case err == nil:
		f.ok("%s at %s writes down what is said (%s)", t.ModelName(), where, took.Round(time.Millisecond))
	case errors.As(err, &refused):
		f.problem(fmt.Sprintf("%s at %s: %s%s", refused.Model, where, refused.Text,
			httpStatus(refused.Status)),
			refused.Hint)
	default:
		f.problem(where+" does not answer in time",
			"check url of transcription, and that this machine reaches it")
	}
}
