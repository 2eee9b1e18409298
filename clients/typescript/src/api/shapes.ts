// Made by clients/generate.mjs from docs/api/openapi.json.

/** What is checked of each built-in payload, by its tag. */
export const SHAPES = {
  TEXT: "object",
  CODE_EDIT: {"edits":[{"file_path":"string","old_content?":"string","new_content?":"string","language?":"string"}]},
  TODO: {"todos":[{"id":"string","content":"string","status":"string"}]},
  TOOL_CALL: {"tool_name":"string","input?":"object","error?":"string"},
  APPROVAL: {"kind":"string","title":"string","body?":"string","questions?":[{"question":"string","header?":"string","options?":[{"id":"string","label":"string","description?":"string","kind?":"string"}],"multi_select?":"boolean","allow_text?":"boolean"}],"fields?":[{"id":"string","label":"string","type":"string","required?":"boolean","options?":["string"]}],"risk?":"string","state?":"string","decision?":{"state":"string","selected?":["string"],"text?":"string","answers?":[{"question?":"string","selected?":["string"],"text?":"string","note?":"string"}],"rule?":"string","by?":"string","at?":"number","via?":"string","reported_by?":"string","shown_sha256?":"string"}},
  ACTION: {"approval_id?":"string","reply_to?":"string","selected?":["string"],"values?":"object","text?":"string"},
  FILE: {"files":[{"name":"string","mime":"string","size":"number","blob?":"string","state":"string","error?":"string","actions?":[{"id":"string","label":"string"}]}]},
  CODE_REVIEW: {"file_path":"string","comments":[{"body":"string","side?":"string","start_line":"number","end_line?":"number","severity":"string","suggestion?":"string"}],"summary?":"string"},
  ERROR: {"error_type":"string","message":"string","frames?":[{"file?":"string","line?":"number","function?":"string","code?":"string"}],"retryable?":"boolean","retry_at?":"number"},
  PROGRESS: {"label":"string","current?":"number","total?":"number","unit?":"string","state":"string","eta_seconds?":"number"},
  CHART: {"chart":"string","title":"string","series":[{"name":"string","points":["unknown"]}],"unit?":"string"},
} as const;
