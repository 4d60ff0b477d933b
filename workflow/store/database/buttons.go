package database

// DecidesRevision is the condition that a row o of the outbox has a button that decides on the newest
// revision of the session $1. The actions of these buttons are $2.
const DecidesRevision = `exists (select 1 from buttons b join sessions s on s.id = b.session_id
	where b.session_id = $1 and b.action_id = any($2) and b.revision = s.revision
		and o.buttons::jsonb @> jsonb_build_array(jsonb_build_object('Value', b.id)))`
