package consent

import "github.com/bobbinhq/bobbin/workflow/store/database"

// A Register reads what was reported, allowed and pushed.
type Register struct{ DB *database.DB }
