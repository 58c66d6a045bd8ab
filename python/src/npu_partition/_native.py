# SPDX-License-Identifier: Apache-2.0
"""Constants, structs and functions of the public headers for ctypes, under their C names.

Written by tools/generate/python_bindings.py from the header; do not edit.
"""
from __future__ import annotations

from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_ssize_t,
    c_uint,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

Bytes = bytes  # some members have that name

NPART_OK = 0
NPART_ERROR_READ = -1
NPART_ERROR_MALFORMED = -2
NPART_ERROR_LIMIT = -3
NPART_ERROR_MEMORY = -4
NPART_ERROR_ARGUMENT = -5
NPART_ERROR_OPLIST = -6
NPART_ERROR_WRITE = -7
NPART_ERROR_UNPROVEN = -8
NPART_ERROR_TIMEOUT = -9

NPART_PAST_REFUSED = 0
NPART_PAST_UNKNOWN = 1
NPART_PAST_SHORTER = 2

NPART_GRAPH_MAIN = 0
NPART_GRAPH_BODY = 1
NPART_GRAPH_CALL = 2

NPART_VALUE_UNKNOWN = 0
NPART_VALUE_TENSOR = 1
NPART_VALUE_SPARSE = 2
NPART_VALUE_SEQUENCE = 3
NPART_VALUE_MAP = 4
NPART_VALUE_OPTIONAL = 5
NPART_VALUE_OPAQUE = 6

NPART_SOURCE_NODE = 0
NPART_SOURCE_INPUT = 1
NPART_SOURCE_INITIALIZER = 2
NPART_SOURCE_OVERRIDABLE = 3

NPART_WORK_NONE = 0
NPART_WORK_MATRIX = 1
NPART_WORK_PRODUCT = 2
NPART_WORK_DEPTHWISE = 3
NPART_WORK_NORMALIZE = 4
NPART_WORK_FUNCTION = 5
NPART_WORK_ELEMENTWISE = 6
NPART_WORK_MOVE = 7
NPART_WORK_CONVERT = 8

NPART_ABOUT_OP = 0
NPART_ABOUT_DTYPE = 1
NPART_ABOUT_RANK = 2
NPART_ABOUT_SHAPE = 3
NPART_ABOUT_DYNAMIC = 4
NPART_ABOUT_CONSTANT = 5
NPART_ABOUT_ATTRIBUTE = 6
NPART_ABOUT_POLICY = 7

NPART_RULE_NEED = 0
NPART_RULE_MAYBE = 1
NPART_RULE_NOTE = 2
NPART_RULE_UNIT = 3
NPART_RULE_ELSEWHERE = 4

NPART_LEVEL_BASIC = 0
NPART_LEVEL_OFF = 1

NPART_RELEASE_LISTED = 0
NPART_RELEASE_BETWEEN = 1
NPART_RELEASE_NEWER = 2
NPART_RELEASE_OLDER = 3

NPART_COMPILED_LOADS = 0
NPART_COMPILED_RECOMPILE = 1
NPART_COMPILED_REFUSED = 2
NPART_COMPILED_UNKNOWN = 3

NPART_PLAN_WHOLE = 0
NPART_PLAN_EDGE = 1
NPART_PLAN_SPLIT = 2
NPART_PLAN_NONE = 3
NPART_PLAN_FAILS = 4
NPART_PLAN_EMPTY = 5
NPART_PLAN_UNKNOWN = 6

NPART_FIT_UNKNOWN = 0
NPART_FIT_NO = 1
NPART_FIT_YES = 2

NPART_VERDICT_CPU = 0
NPART_VERDICT_NPU = 1
NPART_VERDICT_FAIL = 2
NPART_VERDICT_UNKNOWN = 3
NPART_VERDICT_FOLDED = 4
NPART_VERDICT_FUSED = 5

NPART_FATE_LIVE = 0
NPART_FATE_CONSTANT = 1
NPART_FATE_SHAPE = 2
NPART_FATE_INLINED = 3
NPART_FATE_UNTAKEN = 4
NPART_FATE_IDENTITY = 5
NPART_FATE_DROPOUT = 6
NPART_FATE_FUSED = 7
NPART_FATE_NO_OP = 8

NPART_OUTCOME_MET = 0
NPART_OUTCOME_NOT_MET = 1
NPART_OUTCOME_FAILS = 2
NPART_OUTCOME_UNKNOWN = 3
NPART_OUTCOME_NOTE = 4
NPART_OUTCOME_NO_NOTE = 5
NPART_OUTCOME_ELSEWHERE = 6

NPART_FUSION_FUSED = 0
NPART_FUSION_SEPARATE = 1
NPART_FUSION_NEARLY = 2

NPART_BASIS_DOCUMENTS = 0
NPART_BASIS_FAMILY = 1
NPART_BASIS_MEASURED = 2

NPART_HAPPENS_NATIVE = 0
NPART_HAPPENS_DEQUANTIZED = 1
NPART_HAPPENS_VECTOR = 2
NPART_HAPPENS_CPU = 3
NPART_HAPPENS_FAILS = 4
NPART_HAPPENS_UNKNOWN = 5

NPART_LIMITED_FILE = 0
NPART_LIMITED_ONE_FILE = 1
NPART_LIMITED_WEIGHTS = 2
NPART_LIMITED_TENSORS = 3
NPART_LIMITED_ACTIVATIONS = 4
NPART_LIMITED_SESSION = 5
NPART_LIMITED_PARTITION_WEIGHTS = 6
NPART_LIMITED_PARTITIONS = 7
NPART_LIMITED_RAM = 8
NPART_LIMITED_FLASH = 9

NPART_ATTENTION_UNKNOWN = 0
NPART_ATTENTION_MULTI_HEAD = 1
NPART_ATTENTION_GROUPED_QUERY = 2
NPART_ATTENTION_MULTI_QUERY = 3

NPART_PAYS_NOTHING = 0
NPART_PAYS_MENDS = 1
NPART_PAYS_FASTER = 2
NPART_PAYS_FEWER_PARTITIONS = 3
NPART_PAYS_MORE_ON_NPU = 4

NPART_CHOICE_NPU = 0
NPART_CHOICE_MEND = 1
NPART_CHOICE_CPU = 2
NPART_CHOICE_UNDECIDED = 3

NPART_WORTH_YES = 0
NPART_WORTH_PROBABLY = 1
NPART_WORTH_AFTER_FIX = 2
NPART_WORTH_EQUAL = 3
NPART_WORTH_PROBABLY_NOT = 4
NPART_WORTH_NO = 5
NPART_WORTH_NONE = 6

NPART_EQUAL_BITS = 0
NPART_EQUAL_BITS_IF = 1
NPART_EQUAL_ULP = 2
NPART_EQUAL_STEP = 3
NPART_EQUAL_APPROX = 4

NPART_SLOTS_RIGHT = 0
NPART_SLOTS_ANY = 1
NPART_SLOTS_LEFT = 2

NPART_PRESENT_NEW = 0
NPART_PRESENT_SHIFT = 1

NPART_PORT_TOKENS = 0
NPART_PORT_POSITIONS = 1
NPART_PORT_MASK = 2
NPART_PORT_BIAS = 3
NPART_PORT_ROWS = 4
NPART_PORT_PAST = 5
NPART_PORT_PRESENT = 6
NPART_PORT_OTHER = 7
NPART_PORT_STATE = 8

NPART_PART_HEAD = 0
NPART_PART_MODEL = 1
NPART_PART_REST = 2
NPART_PART_CALLER = 3

NPART_WEIGHTS_STAY = 0
NPART_WEIGHTS_LINK = 1
NPART_WEIGHTS_COPY = 2
NPART_WEIGHTS_EXTERNAL = 3

NPART_DEVICE_NPU = 0
NPART_DEVICE_CPU = 1
NPART_DEVICE_GPU = 2
NPART_DEVICES = 3

NPART_RUNS_USER = 0
NPART_RUNS_TOKENS = 1
NPART_RUNS_ONCE = 2

NPART_LINK_TENSOR = 0
NPART_LINK_CACHE = 1
NPART_LINK_APPLICATION = 2

NPART_FROM_NAME = 0
NPART_FROM_SHAPE = 1
NPART_FROM_USER = 2

NPART_LISTING_ALL = 0
NPART_LISTING_LEFT = 1
NPART_LISTING_NONE = 2

NPART_CHANGE_NONE = 0
NPART_CHANGE_OTHER = 1
NPART_CHANGE_BETTER = 2
NPART_CHANGE_WORSE = 3

NPART_CAUSE_NEW = 0
NPART_CAUSE_MORE = 1
NPART_CAUSE_LOST = 2
NPART_CAUSE_FEWER = 3
NPART_CAUSE_SAME = 4

NPART_NODE_MOVED = 0
NPART_NODE_REPLACED = 1
NPART_NODE_ADDED = 2
NPART_NODE_REMOVED = 3

NPART_DETAIL_NODES = 0
NPART_DETAIL_CAUSES = 1
NPART_DETAIL_SUMMARY = 2
NPART_DETAIL_TENSORS = 3

NPART_FORMAT_TEXT = 0
NPART_FORMAT_JSON = 1
NPART_FORMAT_SARIF = 2
NPART_FORMAT_GITHUB = 3
NPART_FORMAT_MARKDOWN = 4
NPART_FORMAT_JUNIT = 5
NPART_FORMAT_CSV = 6
NPART_FORMAT_DOT = 7
NPART_FORMAT_SVG = 8
NPART_FORMAT_HTML = 9
NPART_FORMAT_MODEL_EXPLORER = 10
NPART_FORMAT_GITLAB = 11

NPART_SUBJECT_PLANS = 0
NPART_SUBJECT_NODE = 1
NPART_SUBJECT_MODULES = 2
NPART_SUBJECT_SHAPES = 3
NPART_SUBJECT_WORK = 4
NPART_SUBJECT_FIX = 5
NPART_SUBJECT_DIFFS = 6
NPART_SUBJECT_PLACEMENT = 7
NPART_SUBJECT_TRIES = 8
NPART_SUBJECT_LOSSES = 9
NPART_SUBJECT_PARTS = 10
NPART_SUBJECT_FAILURE = 11

NPART_AGREEMENT_NONE = 0
NPART_AGREEMENT_SAME = 1
NPART_AGREEMENT_DIFFERENT = 2
NPART_AGREEMENT_UNDECIDED = 3
NPART_AGREEMENTS = 4

NPART_BLAME_NONE = 0
NPART_BLAME_INSTALLATION = 1
NPART_BLAME_PROVIDER = 2

NPART_FAILS_ON_NONE = 0
NPART_FAILS_ON_SPLIT = 1
NPART_FAILS_ON_FAIL = 2
NPART_FAILS_ON_UNKNOWN = 3
NPART_FAILS_ON_DYNAMIC = 4
NPART_FAILS_ON_INVALID = 5
NPART_FAILS_ON_MEMORY = 6
NPART_FAILS_ON_SLOWER = 7
NPART_CONDITIONS = 8

NPART_BOUND_MAX_MS = 0
NPART_BOUND_MIN_TOKENS_PER_S = 1
NPART_BOUND_MAX_FIRST_TOKEN_MS = 2
NPART_BOUNDS = 3

NPART_WORSE_PARTITIONS = 1
NPART_WORSE_COVERAGE = 2
NPART_WORSE_TIME = 4
NPART_WORSE_NONE = 8
NPART_WORSE_FAILED = 16
NPART_WORSE_INVALID = 32
NPART_WORSE_MEMORY = 64

NPART_STANDING_OK = 0
NPART_STANDING_KNOWN = 1
NPART_STANDING_WAIVED = 2
NPART_STANDING_WORSE = 3
NPART_STANDING_FAILS = 4
NPART_STANDINGS = 5

NPART_GATE_FAILING = 1
NPART_GATE_STANZAS = 2
NPART_GATE_OTHERS = 4

NPART_NONE = 0xFFFFFFFF
NPART_VERSION_MAJOR = 0
NPART_VERSION_MINOR = 3
NPART_VERSION_PATCH = 0
NPART_MOST_JSON_BYTES = 67108864
NPART_MOST_PROPOSALS = 3
NPART_MOST_RUN_PROVIDERS = 16
NPART_SELFTEST_MODELS = 8
NPART_MOST_RUN_ROWS = 4096
NPART_MOST_MEASUREMENTS = 64
NPART_MOST_WORKERS = 1024
NPART_MOST_GLOB_BYTES = 4096
NPART_MOST_OUTCOMES = 16
NPART_BASELINE_VERSION = 3
NPART_MOST_PROJECT_BYTES = 1048576
VERSION = "0.3.0"
NPART_READ_OPTIONS_INIT = {"version": 3}
NPART_INFERENCE_OPTIONS_INIT = {"version": 3}
NPART_PLAN_OPTIONS_INIT = {"version": 2, "level": NPART_LEVEL_BASIC}
NPART_FIX_OPTIONS_INIT = {"version": 6, "most_growth": 0.25}
NPART_PLACEMENT_OPTIONS_INIT = {"version": 2}
NPART_SIDE_INIT = {"version": 3}
NPART_DIFF_OPTIONS_INIT = {"version": 1}
NPART_REPORT_OPTIONS_INIT = {"version": 2, "detail": NPART_DETAIL_NODES}
NPART_DOCUMENT_OPTIONS_INIT = {"version": 2, "detail": NPART_DETAIL_SUMMARY}
NPART_ENTRY_INIT = {"version": 1}
NPART_SCAN_OPTIONS_INIT = {"version": 1}
NPART_RESUME_OPTIONS_INIT = {"version": 1}
NPART_SPREAD_OPTIONS_INIT = {"version": 1}
NPART_FILES_OPTIONS_INIT = {"version": 1}
NPART_SIDES_OPTIONS_INIT = {"version": 1}
NPART_CHECKLIST_OPTIONS_INIT = {"version": 1}
NPART_GATE_OPTIONS_INIT = {"version": 1}
NPART_GATE_PLAN_INIT = {"version": 1}


class npart_error(Structure):
    status: int
    message: Bytes
    place: Bytes
    _fields_ = [
        ("status", c_int),
        ("message", c_char * 232),
        ("place", c_char * 152),
    ]


npart_allocator_allocate = CFUNCTYPE(c_void_p, c_void_p, c_size_t)


npart_allocator_resize = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t)


npart_allocator_release = CFUNCTYPE(None, c_void_p, c_void_p)


class npart_allocator(Structure):
    allocate: Any
    resize: Any
    release: Any
    payload: Any
    _fields_ = [
        ("allocate", npart_allocator_allocate),
        ("resize", npart_allocator_resize),
        ("release", npart_allocator_release),
        ("payload", c_void_p),
    ]


npart_read_callback = CFUNCTYPE(c_ssize_t, c_void_p, c_void_p, c_size_t)


npart_write_callback = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)


class npart_limit_info(Structure):
    size: int
    name: Bytes | None
    text: Bytes | None
    unit: Bytes | None
    value: int
    low: int
    high: int
    past: int
    reason: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("text", c_char_p),
        ("unit", c_char_p),
        ("value", c_uint64),
        ("low", c_uint64),
        ("high", c_uint64),
        ("past", c_int),
        ("reason", c_char_p),
    ]


class npart_limit(Structure):
    name: Bytes | None
    value: int
    _fields_ = [
        ("name", c_char_p),
        ("value", c_uint64),
    ]


class npart_bound_value(Structure):
    input: Bytes | None
    numbers: Any
    count: int
    _fields_ = [
        ("input", c_char_p),
        ("numbers", POINTER(c_double)),
        ("count", c_uint32),
    ]


class npart_read_options(Structure):
    version: int
    keep_bytes: int
    name: Bytes | None
    allocator: Any
    values: Any
    value_count: int
    max_memory_bytes: int
    max_ms: int
    limits: Any
    limit_count: int
    _fields_ = [
        ("version", c_uint32),
        ("keep_bytes", c_uint64),
        ("name", c_char_p),
        ("allocator", POINTER(npart_allocator)),
        ("values", POINTER(npart_bound_value)),
        ("value_count", c_uint32),
        ("max_memory_bytes", c_uint64),
        ("max_ms", c_uint64),
        ("limits", POINTER(npart_limit)),
        ("limit_count", c_uint32),
    ]


class npart_opset(Structure):
    domain: Bytes | None
    version: int
    _fields_ = [
        ("domain", c_char_p),
        ("version", c_int64),
    ]


class npart_model_info(Structure):
    size: int
    name: Bytes | None
    ir_version: int
    producer_name: Bytes | None
    producer_version: Bytes | None
    opsets: Any
    opset_count: int
    node_count: int
    added_node_count: int
    input_bytes: int
    weight_bytes: int
    value_count: int
    graph_count: int
    finding_count: int
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("ir_version", c_int64),
        ("producer_name", c_char_p),
        ("producer_version", c_char_p),
        ("opsets", POINTER(npart_opset)),
        ("opset_count", c_uint32),
        ("node_count", c_uint32),
        ("added_node_count", c_uint32),
        ("input_bytes", c_uint64),
        ("weight_bytes", c_uint64),
        ("value_count", c_uint32),
        ("graph_count", c_uint32),
        ("finding_count", c_uint32),
    ]


class npart_node(Structure):
    size: int
    name: Bytes | None
    op: Bytes | None
    domain: Bytes | None
    written_domain: Bytes | None
    index: int
    graph: int
    opset_version: int
    input_count: int
    output_count: int
    capture_count: int
    attribute_count: int
    inputs: Any
    outputs: Any
    captures: Any
    first_body: int
    body_count: int
    callee: int
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("op", c_char_p),
        ("domain", c_char_p),
        ("written_domain", c_char_p),
        ("index", c_uint32),
        ("graph", c_uint32),
        ("opset_version", c_int32),
        ("input_count", c_uint32),
        ("output_count", c_uint32),
        ("capture_count", c_uint32),
        ("attribute_count", c_uint32),
        ("inputs", POINTER(c_uint32)),
        ("outputs", POINTER(c_uint32)),
        ("captures", POINTER(c_uint32)),
        ("first_body", c_uint32),
        ("body_count", c_uint32),
        ("callee", c_uint32),
    ]


class npart_operand(Structure):
    size: int
    value: int
    name: Any
    name_bytes: int
    _fields_ = [
        ("size", c_size_t),
        ("value", c_uint32),
        ("name", c_void_p),
        ("name_bytes", c_size_t),
    ]


class npart_origin(Structure):
    size: int
    file: Any
    file_bytes: int
    line: int
    module: Any
    module_bytes: int
    _fields_ = [
        ("size", c_size_t),
        ("file", c_void_p),
        ("file_bytes", c_size_t),
        ("line", c_int64),
        ("module", c_void_p),
        ("module_bytes", c_size_t),
    ]


class npart_graph(Structure):
    size: int
    kind: int
    parent: int
    node: int
    label: Bytes | None
    first_node: int
    node_count: int
    input_count: int
    output_count: int
    inputs: Any
    outputs: Any
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("parent", c_uint32),
        ("node", c_uint32),
        ("label", c_char_p),
        ("first_node", c_uint32),
        ("node_count", c_uint32),
        ("input_count", c_uint32),
        ("output_count", c_uint32),
        ("inputs", POINTER(c_uint32)),
        ("outputs", POINTER(c_uint32)),
    ]


class npart_finding(Structure):
    size: int
    code: Bytes | None
    text: Bytes | None
    at: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("code", c_char_p),
        ("text", c_char_p),
        ("at", c_char_p),
    ]


class npart_dim_binding(Structure):
    name: Bytes | None
    size: int
    is_limit: bool
    _fields_ = [
        ("name", c_char_p),
        ("size", c_int64),
        ("is_limit", c_bool),
    ]


class npart_input_shape(Structure):
    input: Bytes | None
    dims: Any
    rank: int
    _fields_ = [
        ("input", c_char_p),
        ("dims", POINTER(c_int64)),
        ("rank", c_uint32),
    ]


class npart_quantile(Structure):
    share: float
    length: int
    _fields_ = [
        ("share", c_double),
        ("length", c_int64),
    ]


class npart_lengths(Structure):
    samples: Any
    sample_count: int
    quantiles: Any
    quantile_count: int
    _fields_ = [
        ("samples", POINTER(c_int64)),
        ("sample_count", c_size_t),
        ("quantiles", POINTER(npart_quantile)),
        ("quantile_count", c_uint32),
    ]


class npart_inference_options(Structure):
    version: int
    dims: Any
    dim_count: int
    inputs: Any
    input_count: int
    ignore_value_info: bool
    may_lack_dims: bool
    lengths: Any
    _fields_ = [
        ("version", c_uint32),
        ("dims", POINTER(npart_dim_binding)),
        ("dim_count", c_uint32),
        ("inputs", POINTER(npart_input_shape)),
        ("input_count", c_uint32),
        ("ignore_value_info", c_bool),
        ("may_lack_dims", c_bool),
        ("lengths", POINTER(npart_lengths)),
    ]


class npart_padding(Structure):
    size: int
    dim: Bytes | None
    mean: float
    most: int
    most_padding: float
    less: int
    less_runs: float
    two_padding: float
    _fields_ = [
        ("size", c_size_t),
        ("dim", c_char_p),
        ("mean", c_double),
        ("most", c_uint64),
        ("most_padding", c_double),
        ("less", c_uint64),
        ("less_runs", c_double),
        ("two_padding", c_double),
    ]


class npart_inference_info(Structure):
    size: int
    binding_count: int
    assumption_count: int
    finding_count: int
    is_invalid: bool
    allocator: Any
    use: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("binding_count", c_uint32),
        ("assumption_count", c_uint32),
        ("finding_count", c_uint32),
        ("is_invalid", c_bool),
        ("allocator", POINTER(npart_allocator)),
        ("use", c_char_p),
    ]


class npart_value(Structure):
    size: int
    name: Bytes | None
    kind: int
    element_type: int
    has_rank: bool
    rank: int
    is_static: bool
    is_constant: bool
    is_output: bool
    producer: int
    graph: int
    source: int
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("kind", c_int),
        ("element_type", c_int),
        ("has_rank", c_bool),
        ("rank", c_uint32),
        ("is_static", c_bool),
        ("is_constant", c_bool),
        ("is_output", c_bool),
        ("producer", c_uint32),
        ("graph", c_uint32),
        ("source", c_int),
    ]


class npart_figure(Structure):
    value: int
    text: Bytes | None
    _fields_ = [
        ("value", c_uint64),
        ("text", c_char_p),
    ]


class npart_work(Structure):
    size: int
    work_class: int
    macs: Any
    operations: Any
    bytes_in: Any
    bytes_out: Any
    weight_bytes: Any
    rows: Any
    columns: Any
    depth: Any
    taps: Any
    groups: Any
    activation_type: int
    weight_type: int
    _fields_ = [
        ("size", c_size_t),
        ("work_class", c_int),
        ("macs", npart_figure),
        ("operations", npart_figure),
        ("bytes_in", npart_figure),
        ("bytes_out", npart_figure),
        ("weight_bytes", npart_figure),
        ("rows", npart_figure),
        ("columns", npart_figure),
        ("depth", npart_figure),
        ("taps", npart_figure),
        ("groups", npart_figure),
        ("activation_type", c_int),
        ("weight_type", c_int),
    ]


class npart_structure(Structure):
    size: int
    up: int
    down: int
    around: int
    itself: int
    _fields_ = [
        ("size", c_size_t),
        ("up", c_uint32),
        ("down", c_uint32),
        ("around", c_uint32),
        ("itself", c_uint32),
    ]


class npart_diagnostic(Structure):
    is_warning: bool
    place: Bytes | None
    message: Bytes | None
    _fields_ = [
        ("is_warning", c_bool),
        ("place", c_char_p),
        ("message", c_char_p),
    ]


npart_diagnostic_callback = CFUNCTYPE(None, c_void_p, POINTER(npart_diagnostic))


class npart_oplist_info(Structure):
    size: int
    name: Bytes | None
    title: Bytes | None
    toolchain: Bytes | None
    source: Bytes | None
    standing: Bytes | None
    partitioner: Bytes | None
    default_variant: Bytes | None
    op_count: int
    rule_count: int
    variant_count: int
    all_rule_count: int
    provider: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("title", c_char_p),
        ("toolchain", c_char_p),
        ("source", c_char_p),
        ("standing", c_char_p),
        ("partitioner", c_char_p),
        ("default_variant", c_char_p),
        ("op_count", c_uint32),
        ("rule_count", c_uint32),
        ("variant_count", c_uint32),
        ("all_rule_count", c_uint32),
        ("provider", c_char_p),
    ]


class npart_rule(Structure):
    size: int
    kind: int
    id: Bytes | None
    text: Bytes | None
    source: Bytes | None
    advice: Bytes | None
    gate: Bytes | None
    about: int
    is_fatal: bool
    line: int
    because: Bytes | None
    standing: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("id", c_char_p),
        ("text", c_char_p),
        ("source", c_char_p),
        ("advice", c_char_p),
        ("gate", c_char_p),
        ("about", c_int),
        ("is_fatal", c_bool),
        ("line", c_uint32),
        ("because", c_char_p),
        ("standing", c_char_p),
    ]


class npart_assumption(Structure):
    op: Bytes | None
    node: Bytes | None
    on_npu: bool
    _fields_ = [
        ("op", c_char_p),
        ("node", c_char_p),
        ("on_npu", c_bool),
    ]


class npart_plan_options(Structure):
    version: int
    level: int
    partitioner: Bytes | None
    gates: Bytes | None
    allocator: Any
    assumptions: Any
    assumption_count: int
    cuts: Any
    cut_count: int
    runtime: Bytes | None
    is_sustained: bool
    ram_bytes: int
    prompt_tokens: int
    device_class: Bytes | None
    _fields_ = [
        ("version", c_uint32),
        ("level", c_int),
        ("partitioner", c_char_p),
        ("gates", c_char_p),
        ("allocator", POINTER(npart_allocator)),
        ("assumptions", POINTER(npart_assumption)),
        ("assumption_count", c_uint32),
        ("cuts", POINTER(c_char_p)),
        ("cut_count", c_uint32),
        ("runtime", c_char_p),
        ("is_sustained", c_bool),
        ("ram_bytes", c_uint64),
        ("prompt_tokens", c_uint32),
        ("device_class", c_char_p),
    ]


class npart_device_class(Structure):
    size: int
    name: Bytes | None
    ram_bytes: Any
    flash_bytes: Any
    source: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("ram_bytes", c_uint64 * 2),
        ("flash_bytes", c_uint64 * 2),
        ("source", c_char_p),
    ]


class npart_plan_info(Structure):
    size: int
    target: Bytes | None
    as_: Bytes | None
    variant: Bytes | None
    toolchain: Bytes | None
    partitioner: Bytes | None
    level: int
    label: Bytes | None
    switch_count: int
    switches: Any
    most_partitions: int
    cause_count: int
    crossing_count: int
    live_count: int
    allocator: Any
    unit: Bytes | None
    on_unit: Bytes | None
    beside: Bytes | None
    verified: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("target", c_char_p),
        ("as_", c_char_p),
        ("variant", c_char_p),
        ("toolchain", c_char_p),
        ("partitioner", c_char_p),
        ("level", c_int),
        ("label", c_char_p),
        ("switch_count", c_uint32),
        ("switches", POINTER(c_char_p)),
        ("most_partitions", c_uint64),
        ("cause_count", c_uint32),
        ("crossing_count", c_uint32),
        ("live_count", c_uint32),
        ("allocator", POINTER(npart_allocator)),
        ("unit", c_char_p),
        ("on_unit", c_char_p),
        ("beside", c_char_p),
        ("verified", c_char_p),
    ]


class npart_release(Structure):
    size: int
    standing: int
    rules: Bytes | None
    newer: Bytes | None
    newer_nodes: int
    newer_ops: Any
    newer_op_count: int
    _fields_ = [
        ("size", c_size_t),
        ("standing", c_int),
        ("rules", c_char_p),
        ("newer", c_char_p),
        ("newer_nodes", c_uint32),
        ("newer_ops", POINTER(c_char_p)),
        ("newer_op_count", c_uint32),
    ]


class npart_provider(Structure):
    size: int
    name: Bytes | None
    package: Bytes | None
    source: Bytes | None
    compiler: Bytes | None
    hint: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("package", c_char_p),
        ("source", c_char_p),
        ("compiler", c_char_p),
        ("hint", c_char_p),
    ]


class npart_provider_option(Structure):
    size: int
    name: Bytes | None
    value: Bytes | None
    text: Bytes | None
    source: Bytes | None
    is_session: bool
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("value", c_char_p),
        ("text", c_char_p),
        ("source", c_char_p),
        ("is_session", c_bool),
    ]


class npart_compiled(Structure):
    size: int
    node: int
    verdict: int
    provider: Bytes | None
    file: Bytes | None
    remedy: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("node", c_uint32),
        ("verdict", c_int),
        ("provider", c_char_p),
        ("file", c_char_p),
        ("remedy", c_char_p),
    ]


class npart_summary(Structure):
    size: int
    nodes: int
    folded: int
    fused: int
    live: int
    accepted: int
    refused: int
    failed: int
    unknown: int
    partitions: int
    partitions_low: int
    partitions_high: int
    switches: int
    coverage: float
    has_macs: bool
    macs: int
    macs_on_npu: int
    mac_coverage: float
    verdict: int
    fits: int
    placed_later: int
    _fields_ = [
        ("size", c_size_t),
        ("nodes", c_uint32),
        ("folded", c_uint32),
        ("fused", c_uint32),
        ("live", c_uint32),
        ("accepted", c_uint32),
        ("refused", c_uint32),
        ("failed", c_uint32),
        ("unknown", c_uint32),
        ("partitions", c_uint32),
        ("partitions_low", c_uint32),
        ("partitions_high", c_uint32),
        ("switches", c_uint32),
        ("coverage", c_double),
        ("has_macs", c_bool),
        ("macs", c_uint64),
        ("macs_on_npu", c_uint64),
        ("mac_coverage", c_double),
        ("verdict", c_int),
        ("fits", c_int),
        ("placed_later", c_uint32),
    ]


class npart_decided(Structure):
    size: int
    by: Bytes | None
    units: Any
    unit_count: int
    rule_count: int
    taken: int
    elsewhere: int
    most_on_npu: float
    rules: Any
    rule_nodes: Any
    _fields_ = [
        ("size", c_size_t),
        ("by", c_char_p),
        ("units", POINTER(c_char_p)),
        ("unit_count", c_uint32),
        ("rule_count", c_uint32),
        ("taken", c_uint32),
        ("elsewhere", c_uint32),
        ("most_on_npu", c_double),
        ("rules", POINTER(c_uint32)),
        ("rule_nodes", POINTER(c_uint32)),
    ]


class npart_node_plan(Structure):
    size: int
    verdict: int
    partition: int
    cause: int
    into: int
    reason_count: int
    fate: int
    fate_text: Bytes | None
    ms: float
    slow: Bytes | None
    cpu_ms: float
    cpu_kernel: Bytes | None
    moves: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("verdict", c_int),
        ("partition", c_uint32),
        ("cause", c_uint32),
        ("into", c_uint32),
        ("reason_count", c_uint32),
        ("fate", c_int),
        ("fate_text", c_char_p),
        ("ms", c_double),
        ("slow", c_char_p),
        ("cpu_ms", c_double),
        ("cpu_kernel", c_char_p),
        ("moves", c_char_p),
    ]


class npart_value_plan(Structure):
    size: int
    is_constant: bool
    has_bytes: bool
    bytes: int
    layout: Bytes | None
    converted_to: Bytes | None
    converted_for: int
    stands_for: int
    _fields_ = [
        ("size", c_size_t),
        ("is_constant", c_bool),
        ("has_bytes", c_bool),
        ("bytes", c_uint64),
        ("layout", c_char_p),
        ("converted_to", c_char_p),
        ("converted_for", c_uint32),
        ("stands_for", c_uint32),
    ]


class npart_reason(Structure):
    size: int
    rule: int
    rule_id: Bytes | None
    text: Bytes | None
    source: Bytes | None
    gate: Bytes | None
    outcome: int
    found_bytes: int
    because: Bytes | None
    standing: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("rule", c_uint32),
        ("rule_id", c_char_p),
        ("text", c_char_p),
        ("source", c_char_p),
        ("gate", c_char_p),
        ("outcome", c_int),
        ("found_bytes", c_size_t),
        ("because", c_char_p),
        ("standing", c_char_p),
    ]


class npart_bytes(Structure):
    bytes: int
    is_partial: bool
    _fields_ = [
        ("bytes", c_uint64),
        ("is_partial", c_bool),
    ]


class npart_cost_range(Structure):
    low_ms: float
    typical_ms: float
    high_ms: float
    _fields_ = [
        ("low_ms", c_double),
        ("typical_ms", c_double),
        ("high_ms", c_double),
    ]


class npart_partition(Structure):
    size: int
    graph: int
    nodes: Any
    node_count: int
    inputs: Any
    input_count: int
    outputs: Any
    output_count: int
    ends: Any
    end_count: int
    cuts: Any
    cut_count: int
    has_macs: bool
    macs: int
    weights: Any
    peak: Any
    fits_on_chip: int
    compile: Any
    _fields_ = [
        ("size", c_size_t),
        ("graph", c_uint32),
        ("nodes", POINTER(c_uint32)),
        ("node_count", c_uint32),
        ("inputs", POINTER(c_uint32)),
        ("input_count", c_uint32),
        ("outputs", POINTER(c_uint32)),
        ("output_count", c_uint32),
        ("ends", POINTER(c_uint32)),
        ("end_count", c_uint32),
        ("cuts", POINTER(c_uint32)),
        ("cut_count", c_uint32),
        ("has_macs", c_bool),
        ("macs", c_uint64),
        ("weights", npart_bytes),
        ("peak", npart_bytes),
        ("fits_on_chip", c_int),
        ("compile", npart_cost_range),
    ]


class npart_crossing(Structure):
    size: int
    value: int
    from_: int
    to: int
    has_bytes: bool
    bytes: int
    layout: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("value", c_uint32),
        ("from_", c_uint32),
        ("to", c_uint32),
        ("has_bytes", c_bool),
        ("bytes", c_uint64),
        ("layout", c_char_p),
    ]


class npart_fusion(Structure):
    size: int
    pattern: Bytes | None
    nodes: Any
    node_count: int
    state: int
    stopped_by: Bytes | None
    node: int
    _fields_ = [
        ("size", c_size_t),
        ("pattern", c_char_p),
        ("nodes", POINTER(c_uint32)),
        ("node_count", c_uint32),
        ("state", c_int),
        ("stopped_by", c_char_p),
        ("node", c_uint32),
    ]


class npart_module(Structure):
    size: int
    path: Bytes | None
    parent: int
    own_count: int
    own: Any
    node_count: int
    live_count: int
    accepted_count: int
    has_macs: bool
    macs: int
    macs_on_npu: int
    npu_ms: float
    cpu_ms: float
    switch_count: int
    _fields_ = [
        ("size", c_size_t),
        ("path", c_char_p),
        ("parent", c_uint32),
        ("own_count", c_uint32),
        ("own", POINTER(c_uint32)),
        ("node_count", c_uint32),
        ("live_count", c_uint32),
        ("accepted_count", c_uint32),
        ("has_macs", c_bool),
        ("macs", c_uint64),
        ("macs_on_npu", c_uint64),
        ("npu_ms", c_double),
        ("cpu_ms", c_double),
        ("switch_count", c_uint32),
    ]


class npart_cause(Structure):
    size: int
    kind: int
    nodes: Any
    node_count: int
    affected_count: int
    text: Bytes | None
    rule_id: Bytes | None
    cuts: Any
    cut_count: int
    cpu_ms: float
    rule: int
    first_affected: int
    cut_value: int
    failing_count: int
    is_fatal: bool
    is_unknown: bool
    found_bytes: int
    root_rule: Bytes | None
    root_op: Bytes | None
    root_text: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("nodes", POINTER(c_uint32)),
        ("node_count", c_uint32),
        ("affected_count", c_uint32),
        ("text", c_char_p),
        ("rule_id", c_char_p),
        ("cuts", POINTER(c_uint32)),
        ("cut_count", c_uint32),
        ("cpu_ms", c_double),
        ("rule", c_uint32),
        ("first_affected", c_uint32),
        ("cut_value", c_uint32),
        ("failing_count", c_uint32),
        ("is_fatal", c_bool),
        ("is_unknown", c_bool),
        ("found_bytes", c_size_t),
        ("root_rule", c_char_p),
        ("root_op", c_char_p),
        ("root_text", c_char_p),
    ]


class npart_cost(Structure):
    size: int
    total: Any
    is_calibrated: bool
    basis: int
    is_cpu_measured: bool
    runtime: Bytes | None
    switching: Any
    copying: Any
    layout: Any
    quantizing: Any
    cpu: Any
    npu_compute: Any
    npu_bandwidth: Any
    cpu_alone: Any
    npu_whole: Any
    gpu: Any
    gpu_by: Bytes | None
    toolkit: Any
    toolkit_by: Bytes | None
    cold: Any
    fill: float
    break_even_macs: int
    tokens_per_s: float
    first_token_ms: float
    prompt_tokens: int
    bytes_to_npu: int
    bytes_to_cpu: int
    conversion_bytes: int
    unknown_sizes: int
    unknown_nodes: int
    conversions: int
    compile: Any
    bound_tokens_per_s: float
    held_out_error: float
    _fields_ = [
        ("size", c_size_t),
        ("total", npart_cost_range),
        ("is_calibrated", c_bool),
        ("basis", c_int),
        ("is_cpu_measured", c_bool),
        ("runtime", c_char_p),
        ("switching", npart_cost_range),
        ("copying", npart_cost_range),
        ("layout", npart_cost_range),
        ("quantizing", npart_cost_range),
        ("cpu", npart_cost_range),
        ("npu_compute", npart_cost_range),
        ("npu_bandwidth", npart_cost_range),
        ("cpu_alone", npart_cost_range),
        ("npu_whole", npart_cost_range),
        ("gpu", npart_cost_range),
        ("gpu_by", c_char_p),
        ("toolkit", npart_cost_range),
        ("toolkit_by", c_char_p),
        ("cold", npart_cost_range),
        ("fill", c_double),
        ("break_even_macs", c_uint64),
        ("tokens_per_s", c_double),
        ("first_token_ms", c_double),
        ("prompt_tokens", c_uint64),
        ("bytes_to_npu", c_uint64),
        ("bytes_to_cpu", c_uint64),
        ("conversion_bytes", c_uint64),
        ("unknown_sizes", c_uint32),
        ("unknown_nodes", c_uint32),
        ("conversions", c_uint32),
        ("compile", npart_cost_range),
        ("bound_tokens_per_s", c_double),
        ("held_out_error", c_double),
    ]


class npart_precision(Structure):
    size: int
    format: Bytes | None
    happens: int
    share: float
    node_count: int
    accepted_count: int
    has_macs: bool
    macs: int
    text: Bytes | None
    because: Bytes | None
    source: Bytes | None
    is_assumed: bool
    instead: Bytes | None
    variant: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("format", c_char_p),
        ("happens", c_int),
        ("share", c_double),
        ("node_count", c_uint32),
        ("accepted_count", c_uint32),
        ("has_macs", c_bool),
        ("macs", c_uint64),
        ("text", c_char_p),
        ("because", c_char_p),
        ("source", c_char_p),
        ("is_assumed", c_bool),
        ("instead", c_char_p),
        ("variant", c_char_p),
    ]


class npart_weight_type(Structure):
    type: Bytes | None
    bytes: int
    elements: int
    _fields_ = [
        ("type", c_char_p),
        ("bytes", c_uint64),
        ("elements", c_uint64),
    ]


class npart_layer(Structure):
    node: int
    partition: int
    weight_bytes: int
    activation_bytes: int
    passes: int
    _fields_ = [
        ("node", c_uint32),
        ("partition", c_uint32),
        ("weight_bytes", c_uint64),
        ("activation_bytes", c_uint64),
        ("passes", c_uint64),
    ]


class npart_memory_limit(Structure):
    of: int
    needed: Any
    limit_bytes: int
    safe_bytes: int
    needed_count: int
    limit_count: int
    fits: int
    source: Bytes | None
    _fields_ = [
        ("of", c_int),
        ("needed", npart_bytes),
        ("limit_bytes", c_uint64),
        ("safe_bytes", c_uint64),
        ("needed_count", c_uint64),
        ("limit_count", c_uint64),
        ("fits", c_int),
        ("source", c_char_p),
    ]


class npart_memory(Structure):
    size: int
    weight_bytes: int
    weight_types: Any
    weight_type_count: int
    parameters: int
    weights_npu: Any
    weights_cpu: Any
    peak: Any
    peak_node: int
    peak_cpu: Any
    peak_npu: Any
    peak_npu_node: int
    cache_per_token: Any
    cache_tensor_count: int
    cache_slots: int
    run_tokens: int
    attention: int
    query_heads: int
    key_heads: int
    window_slots: int
    window_tensors: int
    cross_tensors: int
    cross: Any
    onchip_bytes: int
    is_onchip_assumed: bool
    limits: Any
    limit_count: int
    layers: Any
    layer_count: int
    _fields_ = [
        ("size", c_size_t),
        ("weight_bytes", c_uint64),
        ("weight_types", POINTER(npart_weight_type)),
        ("weight_type_count", c_uint32),
        ("parameters", c_uint64),
        ("weights_npu", npart_bytes),
        ("weights_cpu", npart_bytes),
        ("peak", npart_bytes),
        ("peak_node", c_uint32),
        ("peak_cpu", npart_bytes),
        ("peak_npu", npart_bytes),
        ("peak_npu_node", c_uint32),
        ("cache_per_token", npart_bytes),
        ("cache_tensor_count", c_uint32),
        ("cache_slots", c_uint64),
        ("run_tokens", c_uint32),
        ("attention", c_int),
        ("query_heads", c_uint64),
        ("key_heads", c_uint64),
        ("window_slots", c_uint64),
        ("window_tensors", c_uint32),
        ("cross_tensors", c_uint32),
        ("cross", npart_bytes),
        ("onchip_bytes", c_uint64),
        ("is_onchip_assumed", c_bool),
        ("limits", POINTER(npart_memory_limit)),
        ("limit_count", c_uint32),
        ("layers", POINTER(npart_layer)),
        ("layer_count", c_uint32),
    ]


class npart_held(Structure):
    size: int
    cpu: Any
    npu: Any
    _fields_ = [
        ("size", c_size_t),
        ("cpu", npart_bytes),
        ("npu", npart_bytes),
    ]


class npart_losses_info(Structure):
    size: int
    weight_count: int
    bytes: int
    allocator: Any
    _fields_ = [
        ("size", c_size_t),
        ("weight_count", c_uint32),
        ("bytes", c_uint64),
        ("allocator", POINTER(npart_allocator)),
    ]


class npart_weight_loss(Structure):
    size: int
    name: Bytes | None
    node: Bytes | None
    op: Bytes | None
    rank: int
    dims: Any
    elements: int
    bytes: int
    zeros: int
    beyond_float16: int
    two_of_four: float
    abs_max: float
    decibels: Any
    is_known: Any
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("node", c_char_p),
        ("op", c_char_p),
        ("rank", c_uint32),
        ("dims", POINTER(c_int64)),
        ("elements", c_uint64),
        ("bytes", c_uint64),
        ("zeros", c_uint64),
        ("beyond_float16", c_uint64),
        ("two_of_four", c_double),
        ("abs_max", c_double),
        ("decibels", POINTER(c_double)),
        ("is_known", POINTER(c_bool)),
    ]


class npart_after(Structure):
    partitions: int
    coverage: float
    mac_coverage: float
    verdict: int
    cost: Any
    fits: int
    _fields_ = [
        ("partitions", c_uint32),
        ("coverage", c_double),
        ("mac_coverage", c_double),
        ("verdict", c_int),
        ("cost", npart_cost_range),
        ("fits", c_int),
    ]


class npart_action(Structure):
    size: int
    kind: Bytes | None
    text: Bytes | None
    command: Bytes | None
    rewrites: Bytes | None
    is_fixable: bool
    equality: Bytes | None
    pays: int
    run: Any
    run_count: int
    causes: Any
    cause_count: int
    needs: Any
    need_count: int
    instead_of: int
    after: Any
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_char_p),
        ("text", c_char_p),
        ("command", c_char_p),
        ("rewrites", c_char_p),
        ("is_fixable", c_bool),
        ("equality", c_char_p),
        ("pays", c_int),
        ("run", POINTER(c_char_p)),
        ("run_count", c_uint32),
        ("causes", POINTER(c_uint32)),
        ("cause_count", c_uint32),
        ("needs", POINTER(c_uint32)),
        ("need_count", c_uint32),
        ("instead_of", c_uint32),
        ("after", npart_after),
    ]


class npart_recommendation(Structure):
    size: int
    choice: int
    worth: int
    worth_missing: Bytes | None
    reason: Bytes | None
    is_sure: bool
    step_count: int
    time: Any
    cpu: Any
    unknown_nodes: int
    slots: int
    tokens_per_s: float
    _fields_ = [
        ("size", c_size_t),
        ("choice", c_int),
        ("worth", c_int),
        ("worth_missing", c_char_p),
        ("reason", c_char_p),
        ("is_sure", c_bool),
        ("step_count", c_uint32),
        ("time", npart_cost_range),
        ("cpu", npart_cost_range),
        ("unknown_nodes", c_uint32),
        ("slots", c_uint32),
        ("tokens_per_s", c_double),
    ]


npart_fix_options_progress = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32)


class npart_fix_options(Structure):
    version: int
    sizes: Any
    plan: Any
    values: Any
    value_count: int
    allowed: int
    only: Any
    only_count: int
    without: Any
    without_count: int
    most_growth: float
    progress: Any
    payload: Any
    allocator: Any
    keep_bytes: int
    max_memory_bytes: int
    max_ms: int
    limits: Any
    limit_count: int
    words: Any
    word_count: int
    cache_slots: int
    cache_tokens: int
    cache_shifts: bool
    cuts_windows: bool
    begin_at: Any
    end_at: Any
    begin_count: int
    end_count: int
    _fields_ = [
        ("version", c_uint32),
        ("sizes", POINTER(npart_inference_options)),
        ("plan", POINTER(npart_plan_options)),
        ("values", POINTER(npart_bound_value)),
        ("value_count", c_uint32),
        ("allowed", c_uint32),
        ("only", POINTER(c_char_p)),
        ("only_count", c_uint32),
        ("without", POINTER(c_char_p)),
        ("without_count", c_uint32),
        ("most_growth", c_double),
        ("progress", npart_fix_options_progress),
        ("payload", c_void_p),
        ("allocator", POINTER(npart_allocator)),
        ("keep_bytes", c_uint64),
        ("max_memory_bytes", c_uint64),
        ("max_ms", c_uint64),
        ("limits", POINTER(npart_limit)),
        ("limit_count", c_uint32),
        ("words", POINTER(c_char_p)),
        ("word_count", c_uint32),
        ("cache_slots", c_uint32),
        ("cache_tokens", c_uint32),
        ("cache_shifts", c_bool),
        ("cuts_windows", c_bool),
        ("begin_at", POINTER(c_char_p)),
        ("end_at", POINTER(c_char_p)),
        ("begin_count", c_uint32),
        ("end_count", c_uint32),
    ]


class npart_fix_hint(Structure):
    size: int
    words: Bytes
    text: Bytes
    _fields_ = [
        ("size", c_size_t),
        ("words", c_char * 1024),
        ("text", c_char * 160),
    ]


class npart_fix_info(Structure):
    size: int
    path: Bytes | None
    target_count: int
    step_count: int
    taken_back_count: int
    plan_count: int
    before: Any
    after: Any
    before_ms: Any
    after_ms: Any
    harm: Bytes | None
    absent: Any
    barred: int
    run: Any
    run_count: int
    _fields_ = [
        ("size", c_size_t),
        ("path", c_char_p),
        ("target_count", c_uint32),
        ("step_count", c_uint32),
        ("taken_back_count", c_uint32),
        ("plan_count", c_uint32),
        ("before", POINTER(npart_summary)),
        ("after", POINTER(npart_summary)),
        ("before_ms", POINTER(c_double)),
        ("after_ms", POINTER(c_double)),
        ("harm", c_char_p),
        ("absent", POINTER(c_char_p)),
        ("barred", c_uint32),
        ("run", POINTER(c_char_p)),
        ("run_count", c_uint32),
    ]


class npart_fix_step(Structure):
    size: int
    rewrite: Bytes | None
    equality: int
    argument: Bytes | None
    site_count: int
    removed: Any
    removed_count: int
    added: Any
    added_count: int
    after: Any
    after_ms: Any
    caveats: Any
    _fields_ = [
        ("size", c_size_t),
        ("rewrite", c_char_p),
        ("equality", c_int),
        ("argument", c_char_p),
        ("site_count", c_uint32),
        ("removed", POINTER(c_char_p)),
        ("removed_count", c_uint32),
        ("added", POINTER(c_char_p)),
        ("added_count", c_uint32),
        ("after", POINTER(npart_summary)),
        ("after_ms", POINTER(c_double)),
        ("caveats", POINTER(c_char_p)),
    ]


class npart_ends_info(Structure):
    size: int
    head_nodes: int
    rest_nodes: int
    head_ops: Bytes | None
    rest_ops: Bytes | None
    host_ms: float
    tensor_count: int
    _fields_ = [
        ("size", c_size_t),
        ("head_nodes", c_uint32),
        ("rest_nodes", c_uint32),
        ("head_ops", c_char_p),
        ("rest_ops", c_char_p),
        ("host_ms", c_double),
        ("tensor_count", c_uint32),
    ]


class npart_passing(Structure):
    size: int
    name: Bytes | None
    from_: int
    to: int
    type: Bytes | None
    rank: int
    dims: Any
    has_bytes: bool
    bytes: int
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("from_", c_int),
        ("to", c_int),
        ("type", c_char_p),
        ("rank", c_uint32),
        ("dims", POINTER(c_int64)),
        ("has_bytes", c_bool),
        ("bytes", c_uint64),
    ]


class npart_cache_info(Structure):
    size: int
    slots: int
    tokens: int
    past: int
    order: int
    present: int
    mask_value: float
    port_count: int
    counts_all: bool
    text: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("slots", c_uint32),
        ("tokens", c_uint32),
        ("past", c_uint32),
        ("order", c_int),
        ("present", c_int),
        ("mask_value", c_double),
        ("port_count", c_uint32),
        ("counts_all", c_bool),
        ("text", c_char_p),
    ]


class npart_cache_port(Structure):
    size: int
    name: Bytes | None
    role: int
    is_output: bool
    is_added: bool
    type: Bytes | None
    rank: int
    dims: Any
    axis: int
    past: Bytes | None
    offset: int
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("role", c_int),
        ("is_output", c_bool),
        ("is_added", c_bool),
        ("type", c_char_p),
        ("rank", c_uint32),
        ("dims", POINTER(c_int64)),
        ("axis", c_uint32),
        ("past", c_char_p),
        ("offset", c_int64),
    ]


class npart_decode_info(Structure):
    size: int
    target: Bytes | None
    slots: int
    tokens: int
    partitions: int
    left: int
    run_ms: Any
    tokens_per_s: float
    prompt_tokens: int
    prompt_run: int
    prompt_ms: float
    bytes_in: int
    bytes_out: int
    cache_bytes: int
    weight_bytes: int
    peak_bytes: Any
    _fields_ = [
        ("size", c_size_t),
        ("target", c_char_p),
        ("slots", c_uint32),
        ("tokens", c_uint32),
        ("partitions", c_uint32),
        ("left", c_uint32),
        ("run_ms", npart_cost_range),
        ("tokens_per_s", c_double),
        ("prompt_tokens", c_uint32),
        ("prompt_run", c_uint32),
        ("prompt_ms", c_double),
        ("bytes_in", c_uint64),
        ("bytes_out", c_uint64),
        ("cache_bytes", c_uint64),
        ("weight_bytes", c_uint64),
        ("peak_bytes", npart_bytes),
    ]


class npart_cache_try(Structure):
    slots: int
    tokens: int
    why: Bytes | None
    fix: Any
    _fields_ = [
        ("slots", c_uint32),
        ("tokens", c_uint32),
        ("why", c_char_p),
        ("fix", c_void_p),
    ]


class npart_side_paths(Structure):
    size: int
    model: Bytes | None
    head: Bytes | None
    rest: Bytes | None
    manifest: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("model", c_char_p),
        ("head", c_char_p),
        ("rest", c_char_p),
        ("manifest", c_char_p),
    ]


class npart_part_figure(Structure):
    part: Bytes | None
    runs: int
    has_gpu: bool
    gpu: Any
    _fields_ = [
        ("part", c_char_p),
        ("runs", c_uint64),
        ("has_gpu", c_bool),
        ("gpu", npart_cost_range),
    ]


class npart_placement_options(Structure):
    version: int
    plan: Any
    figures: Any
    figure_count: int
    links: Any
    link_count: int
    tokens: int
    fix: Any
    _fields_ = [
        ("version", c_uint32),
        ("plan", POINTER(npart_plan_options)),
        ("figures", POINTER(npart_part_figure)),
        ("figure_count", c_uint32),
        ("links", POINTER(c_char_p)),
        ("link_count", c_uint32),
        ("tokens", c_uint64),
        ("fix", POINTER(npart_fix_options)),
    ]


class npart_part(Structure):
    size: int
    name: Bytes | None
    model: int
    use: Bytes | None
    runs: int
    runs_from: int
    device: int
    is_decided: bool
    why: Bytes | None
    has_cost: Any
    cost: Any
    is_calibrated: bool
    verdict: int
    partitions: int
    coverage: float
    weight_bytes: int
    dims: Any
    dim_count: int
    run: Any
    run_count: int
    cache_slots: int
    cache_tokens: int
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("model", c_uint32),
        ("use", c_char_p),
        ("runs", c_uint64),
        ("runs_from", c_int),
        ("device", c_int),
        ("is_decided", c_bool),
        ("why", c_char_p),
        ("has_cost", c_bool * NPART_DEVICES),
        ("cost", npart_cost_range * NPART_DEVICES),
        ("is_calibrated", c_bool),
        ("verdict", c_int),
        ("partitions", c_uint32),
        ("coverage", c_double),
        ("weight_bytes", c_uint64),
        ("dims", POINTER(npart_dim_binding)),
        ("dim_count", c_uint32),
        ("run", POINTER(c_char_p)),
        ("run_count", c_uint32),
        ("cache_slots", c_uint64),
        ("cache_tokens", c_uint64),
    ]


class npart_link(Structure):
    size: int
    from_: int
    output: Bytes | None
    to: int
    input: Bytes | None
    kind: int
    origin: int
    has_bytes: bool
    bytes: int
    times: int
    crosses: bool
    cost: Any
    _fields_ = [
        ("size", c_size_t),
        ("from_", c_uint32),
        ("output", c_char_p),
        ("to", c_uint32),
        ("input", c_char_p),
        ("kind", c_int),
        ("origin", c_int),
        ("has_bytes", c_bool),
        ("bytes", c_uint64),
        ("times", c_uint64),
        ("crosses", c_bool),
        ("cost", npart_cost_range),
    ]


class npart_placement_info(Structure):
    size: int
    target: Bytes | None
    title: Bytes | None
    tokens: int
    is_exact: bool
    is_calibrated: bool
    part_count: int
    link_count: int
    note_count: int
    parts: Any
    links: Any
    notes: Any
    has_total: bool
    has_cpu: bool
    has_npu: bool
    total: Any
    cpu: Any
    npu: Any
    transfers: Any
    weight_bytes: Any
    recommendation: Bytes | None
    allocator: Any
    first_token_ms: float
    tokens_per_s: float
    resident: Any
    largest: Any
    load_ms: float
    ram_bytes: Any
    fits: int
    _fields_ = [
        ("size", c_size_t),
        ("target", c_char_p),
        ("title", c_char_p),
        ("tokens", c_uint64),
        ("is_exact", c_bool),
        ("is_calibrated", c_bool),
        ("part_count", c_uint32),
        ("link_count", c_uint32),
        ("note_count", c_uint32),
        ("parts", POINTER(POINTER(npart_part))),
        ("links", POINTER(POINTER(npart_link))),
        ("notes", POINTER(c_char_p)),
        ("has_total", c_bool),
        ("has_cpu", c_bool),
        ("has_npu", c_bool),
        ("total", npart_cost_range),
        ("cpu", npart_cost_range),
        ("npu", npart_cost_range),
        ("transfers", npart_cost_range),
        ("weight_bytes", c_uint64 * NPART_DEVICES),
        ("recommendation", c_char_p),
        ("allocator", POINTER(npart_allocator)),
        ("first_token_ms", c_double),
        ("tokens_per_s", c_double),
        ("resident", npart_bytes),
        ("largest", npart_bytes),
        ("load_ms", c_double),
        ("ram_bytes", c_uint64 * 2),
        ("fits", c_int),
    ]


class npart_side_node(Structure):
    name: Bytes | None
    op: Bytes | None
    graph: Bytes | None
    place: Bytes | None
    name_hash: int
    index: int
    verdict: int
    partition: int
    cause: int
    up: int
    down: int
    around: int
    itself: int
    _fields_ = [
        ("name", c_char_p),
        ("op", c_char_p),
        ("graph", c_char_p),
        ("place", c_char_p),
        ("name_hash", c_uint32),
        ("index", c_uint32),
        ("verdict", c_int),
        ("partition", c_uint32),
        ("cause", c_uint32),
        ("up", c_uint32),
        ("down", c_uint32),
        ("around", c_uint32),
        ("itself", c_uint32),
    ]


class npart_side_cause(Structure):
    kind: Bytes | None
    rule: Bytes | None
    text: Bytes | None
    action: Bytes | None
    nodes: Any
    node_count: int
    affected_count: int
    _fields_ = [
        ("kind", c_char_p),
        ("rule", c_char_p),
        ("text", c_char_p),
        ("action", c_char_p),
        ("nodes", POINTER(c_uint32)),
        ("node_count", c_uint32),
        ("affected_count", c_uint32),
    ]


class npart_side_parts(Structure):
    cpu_ms: float
    npu_ms: float
    launch_ms: float
    copy_ms: float
    layout_ms: float
    quantize_ms: float
    _fields_ = [
        ("cpu_ms", c_double),
        ("npu_ms", c_double),
        ("launch_ms", c_double),
        ("copy_ms", c_double),
        ("layout_ms", c_double),
        ("quantize_ms", c_double),
    ]


class npart_side(Structure):
    version: int
    model: Bytes | None
    target: Bytes | None
    toolchain: Bytes | None
    listing: int
    nodes: Any
    node_count: int
    cause_count: int
    causes: Any
    summary: Any
    is_invalid: bool
    cost: Any
    npu_whole: Any
    weight_bytes: int
    npu_weight_bytes: int
    peak_bytes: int
    npu_peak_bytes: int
    off_chip: int
    limits: int
    parts: Any
    unit: Bytes | None
    allocator: Any
    _fields_ = [
        ("version", c_uint32),
        ("model", c_char_p),
        ("target", c_char_p),
        ("toolchain", c_char_p),
        ("listing", c_int),
        ("nodes", POINTER(npart_side_node)),
        ("node_count", c_uint32),
        ("cause_count", c_uint32),
        ("causes", POINTER(npart_side_cause)),
        ("summary", npart_summary),
        ("is_invalid", c_bool),
        ("cost", npart_cost_range),
        ("npu_whole", npart_cost_range),
        ("weight_bytes", c_uint64),
        ("npu_weight_bytes", c_uint64),
        ("peak_bytes", c_uint64),
        ("npu_peak_bytes", c_uint64),
        ("off_chip", c_uint32),
        ("limits", c_uint32),
        ("parts", npart_side_parts),
        ("unit", c_char_p),
        ("allocator", POINTER(npart_allocator)),
    ]


class npart_diff_options(Structure):
    version: int
    cost_tolerance: float
    memory_tolerance: float
    allocator: Any
    _fields_ = [
        ("version", c_uint32),
        ("cost_tolerance", c_double),
        ("memory_tolerance", c_double),
        ("allocator", POINTER(npart_allocator)),
    ]


class npart_diff_info(Structure):
    size: int
    change: int
    before: Any
    after: Any
    matched: int
    by_name: int
    altered: int
    added: int
    removed: int
    left: int
    came: int
    figure_count: int
    cause_count: int
    node_count: int
    allocator: Any
    _fields_ = [
        ("size", c_size_t),
        ("change", c_int),
        ("before", POINTER(npart_side)),
        ("after", POINTER(npart_side)),
        ("matched", c_uint32),
        ("by_name", c_uint32),
        ("altered", c_uint32),
        ("added", c_uint32),
        ("removed", c_uint32),
        ("left", c_uint32),
        ("came", c_uint32),
        ("figure_count", c_uint32),
        ("cause_count", c_uint32),
        ("node_count", c_uint32),
        ("allocator", POINTER(npart_allocator)),
    ]


class npart_diff_figure(Structure):
    size: int
    what: Bytes | None
    change: int
    text: Bytes | None
    before: float
    after: float
    _fields_ = [
        ("size", c_size_t),
        ("what", c_char_p),
        ("change", c_int),
        ("text", c_char_p),
        ("before", c_double),
        ("after", c_double),
    ]


class npart_diff_cause(Structure):
    size: int
    state: int
    change: int
    kind: Bytes | None
    rule: Bytes | None
    text: Bytes | None
    action: Bytes | None
    before: int
    after: int
    affected_before: int
    affected_after: int
    _fields_ = [
        ("size", c_size_t),
        ("state", c_int),
        ("change", c_int),
        ("kind", c_char_p),
        ("rule", c_char_p),
        ("text", c_char_p),
        ("action", c_char_p),
        ("before", c_uint32),
        ("after", c_uint32),
        ("affected_before", c_uint32),
        ("affected_after", c_uint32),
    ]


class npart_diff_node(Structure):
    size: int
    state: int
    change: int
    before: int
    after: int
    name: Bytes | None
    op: Bytes | None
    graph: Bytes | None
    index: int
    place: Bytes | None
    name_before: Bytes | None
    op_before: Bytes | None
    verdict_before: int
    verdict: int
    cause: int
    _fields_ = [
        ("size", c_size_t),
        ("state", c_int),
        ("change", c_int),
        ("before", c_uint32),
        ("after", c_uint32),
        ("name", c_char_p),
        ("op", c_char_p),
        ("graph", c_char_p),
        ("index", c_uint32),
        ("place", c_char_p),
        ("name_before", c_char_p),
        ("op_before", c_char_p),
        ("verdict_before", c_int),
        ("verdict", c_int),
        ("cause", c_uint32),
    ]


class npart_plan_pair(Structure):
    plan: Any
    fixed: Any
    advice: Any
    _fields_ = [
        ("plan", c_void_p),
        ("fixed", c_void_p),
        ("advice", c_void_p),
    ]


npart_plan_callback = CFUNCTYPE(c_int, c_void_p, c_size_t, POINTER(npart_plan_pair), POINTER(npart_error))


class npart_report_options(Structure):
    version: int
    use_color: bool
    use_ascii: bool
    width: int
    is_verbose: bool
    detail: int
    next: Any
    next_payload: Any
    _fields_ = [
        ("version", c_uint32),
        ("use_color", c_bool),
        ("use_ascii", c_bool),
        ("width", c_uint32),
        ("is_verbose", c_bool),
        ("detail", c_int),
        ("next", npart_plan_callback),
        ("next_payload", c_void_p),
    ]


class npart_subject(Structure):
    size: int
    kind: int
    plans: Any
    diffs: Any
    count: int
    node: Bytes | None
    inference: Any
    fix: Any
    written: Bytes | None
    placement: Any
    tries: Any
    prompt_tokens: int
    losses: Any
    model: Bytes | None
    seconds: float
    made_with: Bytes | None
    why: Any
    manifest: Bytes | None
    code: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("plans", POINTER(npart_plan_pair)),
        ("diffs", POINTER(c_void_p)),
        ("count", c_size_t),
        ("node", c_char_p),
        ("inference", c_void_p),
        ("fix", c_void_p),
        ("written", c_char_p),
        ("placement", c_void_p),
        ("tries", POINTER(npart_cache_try)),
        ("prompt_tokens", c_uint32),
        ("losses", c_void_p),
        ("model", c_char_p),
        ("seconds", c_double),
        ("made_with", c_char_p),
        ("why", POINTER(npart_error)),
        ("manifest", c_char_p),
        ("code", c_char_p),
    ]


class npart_document_options(Structure):
    version: int
    detail: int
    root: Bytes | None
    allocator: Any
    has_project: bool
    _fields_ = [
        ("version", c_uint32),
        ("detail", c_int),
        ("root", c_char_p),
        ("allocator", POINTER(npart_allocator)),
        ("has_project", c_bool),
    ]


class npart_threshold_outcome(Structure):
    size: int
    plan: int
    is_met: bool
    threshold: Bytes | None
    text: Bytes | None
    waiver: Bytes | None
    is_comparison: bool
    causes: Any
    cause_count: int
    nodes: Any
    node_count: int
    _fields_ = [
        ("size", c_size_t),
        ("plan", c_uint32),
        ("is_met", c_bool),
        ("threshold", c_char_p),
        ("text", c_char_p),
        ("waiver", c_char_p),
        ("is_comparison", c_bool),
        ("causes", POINTER(c_uint32)),
        ("cause_count", c_uint32),
        ("nodes", POINTER(c_uint32)),
        ("node_count", c_uint32),
    ]


class npart_entry(Structure):
    version: int
    path: Bytes | None
    plans: Any
    plan_count: int
    outcomes: Any
    outcome_count: int
    error: Any
    _fields_ = [
        ("version", c_uint32),
        ("path", c_char_p),
        ("plans", POINTER(npart_plan_pair)),
        ("plan_count", c_size_t),
        ("outcomes", POINTER(npart_threshold_outcome)),
        ("outcome_count", c_size_t),
        ("error", POINTER(npart_error)),
    ]


class npart_run_info(Structure):
    size: int
    kind: Bytes | None
    providers: Any
    provider_count: int
    node_count: int
    has_partitions: bool
    partitions: int
    runs: int
    total_ms: float
    warm_ms: float
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_char_p),
        ("providers", POINTER(c_char_p)),
        ("provider_count", c_uint32),
        ("node_count", c_uint32),
        ("has_partitions", c_bool),
        ("partitions", c_uint32),
        ("runs", c_uint64),
        ("total_ms", c_double),
        ("warm_ms", c_double),
    ]


class npart_run_node(Structure):
    size: int
    name: Bytes | None
    op: Bytes | None
    provider: Bytes | None
    reason: Bytes | None
    index: int
    is_cpu: bool
    is_result: bool
    is_placed: bool
    runs: int
    total_ms: float
    warm_ms: float
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("op", c_char_p),
        ("provider", c_char_p),
        ("reason", c_char_p),
        ("index", c_int64),
        ("is_cpu", c_bool),
        ("is_result", c_bool),
        ("is_placed", c_bool),
        ("runs", c_uint64),
        ("total_ms", c_double),
        ("warm_ms", c_double),
    ]


class npart_verification_info(Structure):
    size: int
    is_same: bool
    nodes: Any
    untold_cpu: int
    unmatched: int
    partitions: int
    partitions_low: int
    partitions_high: int
    has_run_partitions: bool
    run_partitions: int
    partition_agreement: int
    blame: int
    blame_provider: Bytes | None
    blame_text: Bytes | None
    blame_check: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("is_same", c_bool),
        ("nodes", c_uint32 * NPART_AGREEMENTS),
        ("untold_cpu", c_uint32),
        ("unmatched", c_uint32),
        ("partitions", c_uint32),
        ("partitions_low", c_uint32),
        ("partitions_high", c_uint32),
        ("has_run_partitions", c_bool),
        ("run_partitions", c_uint32),
        ("partition_agreement", c_int),
        ("blame", c_int),
        ("blame_provider", c_char_p),
        ("blame_text", c_char_p),
        ("blame_check", c_char_p),
    ]


class npart_verified_node(Structure):
    size: int
    agreement: int
    is_told: bool
    is_on_npu: bool
    is_concluded: bool
    reason: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("agreement", c_int),
        ("is_told", c_bool),
        ("is_on_npu", c_bool),
        ("is_concluded", c_bool),
        ("reason", c_char_p),
    ]


class npart_verification_names(Structure):
    model: Bytes | None
    run: Bytes | None
    _fields_ = [
        ("model", c_char_p),
        ("run", c_char_p),
    ]


class npart_selftest_model(Structure):
    size: int
    ops: Bytes | None
    input_type: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("ops", c_char_p),
        ("input_type", c_char_p),
    ]


class npart_selftest_info(Structure):
    size: int
    ops: Bytes | None
    input_type: Bytes | None
    bytes: Any
    byte_count: int
    plan: Any
    node_count: int
    run: Bytes | None
    check: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("ops", c_char_p),
        ("input_type", c_char_p),
        ("bytes", c_void_p),
        ("byte_count", c_size_t),
        ("plan", c_void_p),
        ("node_count", c_uint32),
        ("run", c_char_p),
        ("check", c_char_p),
    ]


class npart_measured_run(Structure):
    size: int
    model: Bytes | None
    target: Bytes | None
    runtime: Bytes | None
    dims: Bytes | None
    profile: Bytes | None
    is_on_cpu: bool
    ms: float
    line: int
    _fields_ = [
        ("size", c_size_t),
        ("model", c_char_p),
        ("target", c_char_p),
        ("runtime", c_char_p),
        ("dims", c_char_p),
        ("profile", c_char_p),
        ("is_on_cpu", c_bool),
        ("ms", c_double),
        ("line", c_uint32),
    ]


class npart_run_asked(Structure):
    size: int
    oplist: Any
    target: Bytes | None
    sizes: Any
    plan: Any
    _fields_ = [
        ("size", c_size_t),
        ("oplist", c_void_p),
        ("target", c_char_p),
        ("sizes", POINTER(npart_inference_options)),
        ("plan", POINTER(npart_plan_options)),
    ]


class npart_measurement(Structure):
    plan: Any
    total_ms: float
    cpu_ms: float
    partition_ms: Any
    run: Any
    _fields_ = [
        ("plan", c_void_p),
        ("total_ms", c_double),
        ("cpu_ms", c_double),
        ("partition_ms", POINTER(c_double)),
        ("run", c_void_p),
    ]


class npart_calibration_info(Structure):
    size: int
    run_count: int
    model_count: int
    time_count: int
    fitted_count: int
    is_scaled: bool
    is_at_limit: bool
    is_accepted: bool
    error_before: float
    error_after: float
    error_held_out: float
    costs: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("run_count", c_uint32),
        ("model_count", c_uint32),
        ("time_count", c_uint32),
        ("fitted_count", c_uint32),
        ("is_scaled", c_bool),
        ("is_at_limit", c_bool),
        ("is_accepted", c_bool),
        ("error_before", c_double),
        ("error_after", c_double),
        ("error_held_out", c_double),
        ("costs", c_char_p),
    ]


class npart_fitted(Structure):
    size: int
    parameter: Bytes | None
    precision: Bytes | None
    runtime: Bytes | None
    before: Any
    after: Any
    time_factor: float
    moved: float
    is_identified: bool
    _fields_ = [
        ("size", c_size_t),
        ("parameter", c_char_p),
        ("precision", c_char_p),
        ("runtime", c_char_p),
        ("before", c_double * 3),
        ("after", c_double * 3),
        ("time_factor", c_double),
        ("moved", c_double),
        ("is_identified", c_bool),
    ]


class npart_calibration_names(Structure):
    target: Bytes | None
    left_out: int
    written: Bytes | None
    _fields_ = [
        ("target", c_char_p),
        ("left_out", c_uint32),
        ("written", c_char_p),
    ]


class npart_many_line(Structure):
    size: int
    path: Bytes | None
    version: Bytes | None
    options: Bytes | None
    error: Bytes | None
    _fields_ = [
        ("size", c_size_t),
        ("path", c_char_p),
        ("version", c_char_p),
        ("options", c_char_p),
        ("error", c_char_p),
    ]


class npart_many_info(Structure):
    size: int
    models: int
    failures: int
    target_count: int
    _fields_ = [
        ("size", c_size_t),
        ("models", c_uint64),
        ("failures", c_uint64),
        ("target_count", c_uint32),
    ]


class npart_many_failure(Structure):
    size: int
    code: Bytes | None
    models: int
    _fields_ = [
        ("size", c_size_t),
        ("code", c_char_p),
        ("models", c_uint64),
    ]


class npart_scan_options(Structure):
    version: int
    labels: Any
    label_count: int
    read: Any
    sizes: Any
    plan: Any
    detail: int
    skips_advice: bool
    oplist: Any
    cost: Any
    oplist_bytes: int
    cost_bytes: int
    _fields_ = [
        ("version", c_uint32),
        ("labels", POINTER(c_char_p)),
        ("label_count", c_uint32),
        ("read", POINTER(npart_read_options)),
        ("sizes", POINTER(npart_inference_options)),
        ("plan", POINTER(npart_plan_options)),
        ("detail", c_int),
        ("skips_advice", c_bool),
        ("oplist", c_void_p),
        ("cost", c_void_p),
        ("oplist_bytes", c_size_t),
        ("cost_bytes", c_size_t),
    ]


npart_resume_options_found = CFUNCTYPE(None, c_void_p, c_void_p)


class npart_resume_options(Structure):
    version: int
    options: Bytes | None
    found: Any
    payload: Any
    _fields_ = [
        ("version", c_uint32),
        ("options", c_char_p),
        ("found", npart_resume_options_found),
        ("payload", c_void_p),
    ]


class npart_line(Structure):
    text: Any
    bytes: int
    _fields_ = [
        ("text", c_void_p),
        ("bytes", c_size_t),
    ]


npart_spread_options_begin = CFUNCTYPE(None, c_void_p)


npart_spread_options_make = CFUNCTYPE(None, c_void_p, c_size_t, c_uint32, POINTER(npart_line))


npart_spread_options_take = CFUNCTYPE(c_bool, c_void_p, POINTER(npart_line))


class npart_spread_options(Structure):
    version: int
    allocator: Any
    workers: int
    is_unordered: bool
    most_lines: int
    most_bytes: int
    begin: Any
    make: Any
    take: Any
    payload: Any
    _fields_ = [
        ("version", c_uint32),
        ("allocator", POINTER(npart_allocator)),
        ("workers", c_uint32),
        ("is_unordered", c_bool),
        ("most_lines", c_size_t),
        ("most_bytes", c_size_t),
        ("begin", npart_spread_options_begin),
        ("make", npart_spread_options_make),
        ("take", npart_spread_options_take),
        ("payload", c_void_p),
    ]


npart_files_options_skip = CFUNCTYPE(c_bool, c_void_p, c_void_p)


npart_files_options_tell = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)


class npart_files_options(Structure):
    version: int
    allocator: Any
    folder: Bytes | None
    path_count: int
    own: Bytes | None
    skip: Any
    tell: Any
    payload: Any
    _fields_ = [
        ("version", c_uint32),
        ("allocator", POINTER(npart_allocator)),
        ("folder", c_char_p),
        ("path_count", c_size_t),
        ("own", c_char_p),
        ("skip", npart_files_options_skip),
        ("tell", npart_files_options_tell),
        ("payload", c_void_p),
    ]


class npart_files_info(Structure):
    size: int
    count: int
    skipped: int
    left_out: int
    _fields_ = [
        ("size", c_size_t),
        ("count", c_uint64),
        ("skipped", c_uint64),
        ("left_out", c_uint64),
    ]


class npart_file(Structure):
    size: int
    path: Bytes | None
    code: Bytes | None
    problem: Bytes | None
    is_folder: bool
    _fields_ = [
        ("size", c_size_t),
        ("path", c_char_p),
        ("code", c_char_p),
        ("problem", c_char_p),
        ("is_folder", c_bool),
    ]


class npart_bound_info(Structure):
    size: int
    threshold: Bytes | None
    unit: Bytes | None
    unknown: Bytes | None
    lift: Bytes | None
    is_least: bool
    _fields_ = [
        ("size", c_size_t),
        ("threshold", c_char_p),
        ("unit", c_char_p),
        ("unknown", c_char_p),
        ("lift", c_char_p),
        ("is_least", c_bool),
    ]


class npart_thresholds(Structure):
    version: int
    max_partitions: int
    min_coverage: float
    min_mac_coverage: float
    bounds: Any
    allows_none: bool
    fails_on: Any
    _fields_ = [
        ("version", c_uint32),
        ("max_partitions", c_int64),
        ("min_coverage", c_double),
        ("min_mac_coverage", c_double),
        ("bounds", c_double * NPART_BOUNDS),
        ("allows_none", c_bool),
        ("fails_on", c_bool * NPART_CONDITIONS),
    ]


class npart_gate_outcome(Structure):
    threshold: Bytes | None
    is_met: bool
    text: Bytes
    _fields_ = [
        ("threshold", c_char_p),
        ("is_met", c_bool),
        ("text", c_char * 640),
    ]


class npart_sides_options(Structure):
    version: int
    allocator: Any
    read_cache: Any
    cache_payload: Any
    cache_problem: Bytes | None
    _fields_ = [
        ("version", c_uint32),
        ("allocator", POINTER(npart_allocator)),
        ("read_cache", npart_read_callback),
        ("cache_payload", c_void_p),
        ("cache_problem", c_char_p),
    ]


class npart_compared(Structure):
    size: int
    is_known: bool
    is_worse: bool
    was_invalid: bool
    is_same: bool
    kinds: int
    has_before: bool
    before: Any
    before_ms: float
    text: Bytes
    changed: Bytes
    figures: Bytes
    cause: Bytes
    nodes: Any
    causes: Any
    node_count: int
    cause_count: int
    _fields_ = [
        ("size", c_size_t),
        ("is_known", c_bool),
        ("is_worse", c_bool),
        ("was_invalid", c_bool),
        ("is_same", c_bool),
        ("kinds", c_uint),
        ("has_before", c_bool),
        ("before", npart_summary),
        ("before_ms", c_double),
        ("text", c_char * 400),
        ("changed", c_char * 200),
        ("figures", c_char * 240),
        ("cause", c_char * 240),
        ("nodes", c_uint32 * 16),
        ("causes", c_uint32 * 16),
        ("node_count", c_uint32),
        ("cause_count", c_uint32),
    ]


npart_project_callback = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, c_void_p)


class npart_project_text(Structure):
    text: Bytes | None
    line: int
    column: int
    _fields_ = [
        ("text", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
    ]


class npart_project_texts(Structure):
    items: Any
    count: int
    _fields_ = [
        ("items", POINTER(npart_project_text)),
        ("count", c_uint32),
    ]


class npart_project_info(Structure):
    size: int
    oplist: Bytes | None
    cost: Bytes | None
    baseline: Bytes | None
    exclude: Any
    model_count: int
    _fields_ = [
        ("size", c_size_t),
        ("oplist", c_char_p),
        ("cost", c_char_p),
        ("baseline", c_char_p),
        ("exclude", npart_project_texts),
        ("model_count", c_uint32),
    ]


class npart_project_dim(Structure):
    binding: Any
    line: int
    column: int
    entry: int
    _fields_ = [
        ("binding", npart_dim_binding),
        ("line", c_uint32),
        ("column", c_uint32),
        ("entry", c_uint32),
    ]


class npart_project_input(Structure):
    shape: Any
    line: int
    column: int
    _fields_ = [
        ("shape", npart_input_shape),
        ("line", c_uint32),
        ("column", c_uint32),
    ]


class npart_project_settings(Structure):
    size: int
    targets: Any
    targets_line: int
    targets_column: int
    has_level: bool
    level: int
    runtime: Bytes | None
    dims: Any
    dim_count: int
    inputs: Any
    input_count: int
    thresholds: Any
    _fields_ = [
        ("size", c_size_t),
        ("targets", npart_project_texts),
        ("targets_line", c_uint32),
        ("targets_column", c_uint32),
        ("has_level", c_bool),
        ("level", c_int),
        ("runtime", c_char_p),
        ("dims", POINTER(npart_project_dim)),
        ("dim_count", c_uint32),
        ("inputs", POINTER(npart_project_input)),
        ("input_count", c_uint32),
        ("thresholds", npart_thresholds),
    ]


npart_checklist_options_tell = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32, c_uint32, c_void_p)


class npart_checklist_options(Structure):
    version: int
    allocator: Any
    config: Bytes | None
    tell: Any
    payload: Any
    _fields_ = [
        ("version", c_uint32),
        ("allocator", POINTER(npart_allocator)),
        ("config", c_char_p),
        ("tell", npart_checklist_options_tell),
        ("payload", c_void_p),
    ]


class npart_checklist_project(Structure):
    size: int
    project: Any
    path: Bytes | None
    folder: Bytes | None
    oplist: Bytes | None
    cost: Bytes | None
    baseline: Bytes | None
    is_whole: bool
    _fields_ = [
        ("size", c_size_t),
        ("project", c_void_p),
        ("path", c_char_p),
        ("folder", c_char_p),
        ("oplist", c_char_p),
        ("cost", c_char_p),
        ("baseline", c_char_p),
        ("is_whole", c_bool),
    ]


class npart_checklist_model(Structure):
    size: int
    path: Bytes | None
    relative: Bytes | None
    project: int
    _fields_ = [
        ("size", c_size_t),
        ("path", c_char_p),
        ("relative", c_char_p),
        ("project", c_uint32),
    ]


npart_gate_options_is_gone = CFUNCTYPE(c_bool, c_void_p, c_void_p)


class npart_gate_options(Structure):
    version: int
    name: Bytes | None
    today: Bytes | None
    project: Any
    project_path: Bytes | None
    path: Bytes | None
    asked: Any
    baseline: Any
    before: Any
    is_gone: Any
    tell: Any
    payload: Any
    reason: Bytes | None
    words: Any
    word_count: int
    error: Any
    _fields_ = [
        ("version", c_uint32),
        ("name", c_char_p),
        ("today", c_char_p),
        ("project", c_void_p),
        ("project_path", c_char_p),
        ("path", c_char_p),
        ("asked", POINTER(npart_thresholds)),
        ("baseline", c_void_p),
        ("before", c_void_p),
        ("is_gone", npart_gate_options_is_gone),
        ("tell", npart_project_callback),
        ("payload", c_void_p),
        ("reason", c_char_p),
        ("words", POINTER(c_char_p)),
        ("word_count", c_uint32),
        ("error", POINTER(npart_error)),
    ]


class npart_gate_plan(Structure):
    version: int
    plan: Any
    advice: Any
    target: Bytes | None
    label: Bytes | None
    as_: Bytes | None
    _fields_ = [
        ("version", c_uint32),
        ("plan", c_void_p),
        ("advice", c_void_p),
        ("target", c_char_p),
        ("label", c_char_p),
        ("as_", c_char_p),
    ]


class npart_gate_info(Structure):
    size: int
    standing: int
    asks_validity: bool
    invalid: Bytes | None
    invalid_waiver: Bytes | None
    target_count: int
    _fields_ = [
        ("size", c_size_t),
        ("standing", c_int),
        ("asks_validity", c_bool),
        ("invalid", c_char_p),
        ("invalid_waiver", c_char_p),
        ("target_count", c_uint32),
    ]


class npart_gate_target(Structure):
    size: int
    label: Bytes | None
    standing: int
    counted: int
    outcome_count: int
    is_open: bool
    compared: Any
    _fields_ = [
        ("size", c_size_t),
        ("label", c_char_p),
        ("standing", c_int),
        ("counted", c_int),
        ("outcome_count", c_uint32),
        ("is_open", c_bool),
        ("compared", POINTER(npart_compared)),
    ]


# Of each function, what it returns and takes.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "npart_version": (c_char_p, []),
    "npart_plain_text": (c_size_t, [c_char_p, c_char_p, c_size_t]),
    "npart_json_text": (c_size_t, [c_char_p, c_size_t, c_char_p, c_size_t]),
    "npart_shell_word": (c_size_t, [c_char_p, c_char_p, c_size_t]),
    "npart_nearest_name": (c_size_t, [c_char_p, POINTER(c_char_p), c_size_t, c_char_p, c_size_t]),
    "npart_element_type_text": (c_char_p, [c_int]),
    "npart_status_text": (c_char_p, [c_int]),
    "npart_limit_at": (c_bool, [c_uint32, POINTER(npart_limit_info)]),
    "npart_model_read_file": (c_int, [POINTER(c_void_p), c_char_p, POINTER(npart_read_options), POINTER(npart_error)]),
    "npart_model_read_stream": (
        c_int,
        [
            POINTER(c_void_p),
            npart_read_callback,
            c_void_p,
            POINTER(npart_read_options),
            POINTER(npart_error),
        ],
    ),
    "npart_model_read_memory": (
        c_int,
        [
            POINTER(c_void_p),
            c_void_p,
            c_size_t,
            POINTER(npart_read_options),
            POINTER(npart_error),
        ],
    ),
    "npart_model_read_bound": (
        c_int,
        [
            POINTER(c_void_p),
            c_char_p,
            npart_read_callback,
            c_void_p,
            POINTER(npart_read_options),
            POINTER(npart_error),
        ],
    ),
    "npart_model_free": (None, [c_void_p]),
    "npart_budget_status": (c_int, [POINTER(npart_allocator), POINTER(npart_error)]),
    "npart_budget_end_time": (None, [POINTER(npart_allocator)]),
    "npart_model_info": (c_bool, [c_void_p, POINTER(npart_model_info)]),
    "npart_model_node": (c_bool, [c_void_p, c_uint32, POINTER(npart_node)]),
    "npart_model_operand": (c_bool, [c_void_p, c_uint32, c_bool, c_uint32, POINTER(npart_operand)]),
    "npart_model_node_origin": (c_bool, [c_void_p, c_uint32, POINTER(npart_origin)]),
    "npart_model_node_text": (c_size_t, [c_void_p, c_uint32, c_char_p, c_size_t]),
    "npart_model_find_node": (c_uint32, [c_void_p, c_char_p, c_uint32]),
    "npart_model_graph": (c_bool, [c_void_p, c_uint32, POINTER(npart_graph)]),
    "npart_model_graph_path": (c_size_t, [c_void_p, c_uint32, c_char_p, c_size_t]),
    "npart_model_finding": (c_bool, [c_void_p, c_uint32, POINTER(npart_finding)]),
    "npart_inference_make": (
        c_int,
        [
            POINTER(c_void_p),
            c_void_p,
            POINTER(npart_inference_options),
            POINTER(npart_error),
        ],
    ),
    "npart_inference_make_fixed": (c_int, [POINTER(c_void_p), c_void_p, POINTER(npart_error)]),
    "npart_inference_make_use": (c_int, [POINTER(c_void_p), c_void_p, c_uint32, POINTER(npart_error)]),
    "npart_inference_free": (None, [c_void_p]),
    "npart_inference_info": (c_bool, [c_void_p, POINTER(npart_inference_info)]),
    "npart_inference_model": (c_void_p, [c_void_p]),
    "npart_inference_binding": (c_bool, [c_void_p, c_uint32, POINTER(npart_dim_binding)]),
    "npart_inference_given": (c_bool, [c_void_p, c_uint32, POINTER(npart_dim_binding)]),
    "npart_inference_padding": (c_bool, [c_void_p, POINTER(npart_padding)]),
    "npart_inference_lacks": (c_bool, [c_void_p, c_uint32]),
    "npart_inference_value": (c_bool, [c_void_p, c_uint32, POINTER(npart_value)]),
    "npart_inference_dim": (c_int64, [c_void_p, c_uint32, c_uint32]),
    "npart_inference_dim_text": (c_size_t, [c_void_p, c_uint32, c_uint32, c_char_p, c_size_t]),
    "npart_inference_type_text": (c_size_t, [c_void_p, c_uint32, c_char_p, c_size_t]),
    "npart_work_class_text": (c_char_p, [c_int]),
    "npart_inference_work": (c_int, [c_void_p, c_uint32, POINTER(npart_work), POINTER(npart_error)]),
    "npart_inference_structure": (c_int, [c_void_p, c_uint32, POINTER(npart_structure), POINTER(npart_error)]),
    "npart_inference_finding": (c_bool, [c_void_p, c_uint32, POINTER(npart_finding)]),
    "npart_builtin_oplist": (c_char_p, [c_size_t]),
    "npart_oplist_find": (c_int, [POINTER(c_void_p), c_char_p, POINTER(npart_allocator), POINTER(npart_error)]),
    "npart_oplist_read_file": (c_int, [POINTER(c_void_p), c_char_p, POINTER(npart_allocator), POINTER(npart_error)]),
    "npart_oplist_read_memory": (
        c_int,
        [
            POINTER(c_void_p),
            c_char_p,
            c_size_t,
            c_char_p,
            POINTER(npart_allocator),
            POINTER(npart_error),
        ],
    ),
    "npart_oplist_add_cost": (c_int, [POINTER(c_void_p), c_void_p, c_char_p, POINTER(npart_error)]),
    "npart_oplist_free": (None, [c_void_p]),
    "npart_oplist_check_file": (
        c_int,
        [
            POINTER(c_void_p),
            c_char_p,
            npart_diagnostic_callback,
            c_void_p,
            POINTER(npart_allocator),
            POINTER(npart_error),
        ],
    ),
    "npart_oplist_import": (c_int, [c_char_p, c_char_p, npart_write_callback, c_void_p, POINTER(npart_error)]),
    "npart_oplist_info": (c_bool, [c_void_p, POINTER(npart_oplist_info)]),
    "npart_cause_kind_text": (c_char_p, [c_int]),
    "npart_oplist_rule": (c_bool, [c_void_p, c_uint32, POINTER(npart_rule)]),
    "npart_oplist_describe": (c_int, [c_void_p, c_char_p, npart_write_callback, c_void_p, POINTER(npart_error)]),
    "npart_target_describe": (
        c_int,
        [
            c_void_p,
            c_char_p,
            c_char_p,
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_level_text": (c_char_p, [c_int]),
    "npart_device_class": (c_bool, [c_uint32, POINTER(npart_device_class)]),
    "npart_plan_make": (
        c_int,
        [
            POINTER(c_void_p),
            c_void_p,
            c_void_p,
            c_char_p,
            POINTER(npart_plan_options),
            POINTER(npart_error),
        ],
    ),
    "npart_target_check": (c_int, [c_void_p, c_char_p, POINTER(npart_plan_options), POINTER(npart_error)]),
    "npart_plan_free": (None, [c_void_p]),
    "npart_plan_info": (c_bool, [c_void_p, POINTER(npart_plan_info)]),
    "npart_plan_inference": (c_void_p, [c_void_p]),
    "npart_plan_finding": (c_bool, [c_void_p, c_uint32, POINTER(npart_finding)]),
    "npart_release_standing_text": (c_char_p, [c_int]),
    "npart_plan_release": (c_bool, [c_void_p, POINTER(npart_release)]),
    "npart_plan_provider": (c_bool, [c_void_p, POINTER(npart_provider)]),
    "npart_plan_provider_option": (c_bool, [c_void_p, c_uint32, POINTER(npart_provider_option)]),
    "npart_compiled_verdict_text": (c_char_p, [c_int]),
    "npart_plan_compiled": (c_bool, [c_void_p, c_uint32, POINTER(npart_compiled), c_char_p, c_size_t]),
    "npart_plan_view": (c_void_p, [c_void_p]),
    "npart_assumption_note": (c_size_t, [c_char_p, c_void_p, POINTER(c_void_p), c_size_t, c_char_p, c_size_t]),
    "npart_plan_oplist": (c_void_p, [c_void_p]),
    "npart_plan_verdict_text": (c_char_p, [c_int]),
    "npart_plan_summary": (c_bool, [c_void_p, POINTER(npart_summary)]),
    "npart_analyze_file": (c_int, [c_char_p, c_char_p, POINTER(npart_summary), POINTER(npart_error)]),
    "npart_summary_text": (c_size_t, [POINTER(npart_summary), c_char_p, c_size_t]),
    "npart_plan_decided": (c_bool, [c_void_p, POINTER(npart_decided)]),
    "npart_verdict_text": (c_char_p, [c_int]),
    "npart_fate_text": (c_char_p, [c_int]),
    "npart_plan_node": (c_bool, [c_void_p, c_uint32, POINTER(npart_node_plan)]),
    "npart_plan_work": (c_int, [c_void_p, c_uint32, POINTER(npart_work), POINTER(npart_error)]),
    "npart_plan_order": (POINTER(c_uint32), [c_void_p, POINTER(c_uint32)]),
    "npart_plan_value": (c_bool, [c_void_p, c_uint32, POINTER(npart_value_plan)]),
    "npart_outcome_text": (c_char_p, [c_int]),
    "npart_plan_reason": (c_bool, [c_void_p, c_uint32, c_uint32, POINTER(npart_reason), c_char_p, c_size_t]),
    "npart_plan_check": (c_bool, [c_void_p, c_uint32, c_uint32, POINTER(npart_reason), c_char_p, c_size_t]),
    "npart_plan_partition": (c_bool, [c_void_p, c_uint32, POINTER(npart_partition)]),
    "npart_plan_crossing": (c_bool, [c_void_p, c_uint32, POINTER(npart_crossing)]),
    "npart_fusion_state_text": (c_char_p, [c_int]),
    "npart_plan_fusion": (c_int, [c_void_p, c_uint32, POINTER(npart_fusion), POINTER(npart_error)]),
    "npart_plan_module": (c_int, [c_void_p, c_uint32, POINTER(npart_module), POINTER(npart_error)]),
    "npart_plan_cause": (c_bool, [c_void_p, c_uint32, POINTER(npart_cause), c_char_p, c_size_t]),
    "npart_basis_text": (c_char_p, [c_int]),
    "npart_plan_cost": (c_bool, [c_void_p, POINTER(npart_cost)]),
    "npart_happening_text": (c_char_p, [c_int]),
    "npart_plan_precision": (c_bool, [c_void_p, c_uint32, POINTER(npart_precision)]),
    "npart_limited_text": (c_char_p, [c_int]),
    "npart_attention_text": (c_char_p, [c_int]),
    "npart_plan_memory": (c_bool, [c_void_p, POINTER(npart_memory)]),
    "npart_plan_held": (c_bool, [c_void_p, c_uint32, POINTER(npart_held)]),
    "npart_model_as": (c_int, [POINTER(c_void_p), c_void_p, c_char_p, POINTER(npart_error)]),
    "npart_model_origin": (c_void_p, [c_void_p]),
    "npart_precision_name": (c_char_p, [c_uint32, POINTER(c_char_p)]),
    "npart_kept_kind": (c_char_p, [c_uint32, POINTER(c_char_p), POINTER(c_char_p)]),
    "npart_model_quantized_first": (c_char_p, [c_void_p, POINTER(c_char_p)]),
    "npart_model_kept": (c_char_p, [c_void_p, c_uint32]),
    "npart_model_wide": (c_char_p, [c_void_p, c_uint32]),
    "npart_model_widened": (c_char_p, [c_void_p, c_uint32]),
    "npart_precision_check": (c_int, [c_char_p, POINTER(npart_error)]),
    "npart_losses_make": (c_int, [POINTER(c_void_p), c_void_p, POINTER(npart_error)]),
    "npart_losses_free": (None, [c_void_p]),
    "npart_losses_info": (c_bool, [c_void_p, POINTER(npart_losses_info)]),
    "npart_losses_weight": (c_bool, [c_void_p, c_uint32, POINTER(npart_weight_loss)]),
    "npart_rounding_name": (c_char_p, [c_uint32]),
    "npart_advice_make": (
        c_int,
        [
            POINTER(c_void_p),
            c_void_p,
            c_void_p,
            POINTER(c_void_p),
            c_uint32,
            POINTER(npart_error),
        ],
    ),
    "npart_advice_free": (None, [c_void_p]),
    "npart_pays_text": (c_char_p, [c_int]),
    "npart_advice_action": (c_bool, [c_void_p, c_uint32, POINTER(npart_action)]),
    "npart_choice_text": (c_char_p, [c_int]),
    "npart_worth_text": (c_char_p, [c_int]),
    "npart_advice_recommendation": (c_bool, [c_void_p, POINTER(npart_recommendation)]),
    "npart_equality_text": (c_char_p, [c_int]),
    "npart_fix_make": (
        c_int,
        [
            POINTER(c_void_p),
            c_char_p,
            POINTER(c_void_p),
            POINTER(c_char_p),
            c_uint32,
            POINTER(npart_fix_options),
            POINTER(npart_error),
        ],
    ),
    "npart_fix_is_done": (c_bool, [c_void_p]),
    "npart_fix_find_hint": (
        c_int,
        [
            POINTER(c_void_p),
            POINTER(npart_fix_hint),
            c_void_p,
            c_char_p,
            POINTER(c_void_p),
            POINTER(c_char_p),
            c_uint32,
            POINTER(npart_fix_options),
            c_bool,
            POINTER(npart_error),
        ],
    ),
    "npart_fix_propose": (
        c_int,
        [
            POINTER(c_void_p),
            POINTER(c_uint32),
            c_char_p,
            c_void_p,
            c_void_p,
            c_char_p,
            POINTER(npart_fix_options),
            POINTER(npart_error),
        ],
    ),
    "npart_advice_find": (
        c_int,
        [
            POINTER(c_void_p),
            c_void_p,
            c_void_p,
            c_char_p,
            POINTER(npart_fix_options),
            POINTER(npart_error),
        ],
    ),
    "npart_fix_free": (None, [c_void_p]),
    "npart_fix_info": (c_bool, [c_void_p, POINTER(npart_fix_info)]),
    "npart_fix_plan": (c_void_p, [c_void_p, c_uint32]),
    "npart_fix_step": (c_bool, [c_void_p, c_uint32, POINTER(npart_fix_step)]),
    "npart_fix_taken_back": (c_bool, [c_void_p, c_uint32, POINTER(c_char_p), POINTER(c_char_p)]),
    "npart_slot_order_text": (c_char_p, [c_int]),
    "npart_present_text": (c_char_p, [c_int]),
    "npart_port_role_text": (c_char_p, [c_int]),
    "npart_part_side_text": (c_char_p, [c_int]),
    "npart_fix_ends": (c_bool, [c_void_p, POINTER(npart_ends_info)]),
    "npart_fix_passing": (c_bool, [c_void_p, c_uint32, POINTER(npart_passing)]),
    "npart_fix_cache": (c_bool, [c_void_p, POINTER(npart_cache_info)]),
    "npart_fix_cache_port": (c_bool, [c_void_p, c_uint32, POINTER(npart_cache_port)]),
    "npart_fix_decode": (c_bool, [c_void_p, c_uint32, c_uint32, POINTER(npart_decode_info)]),
    "npart_rewrites_describe": (c_int, [npart_write_callback, c_void_p, POINTER(npart_error)]),
    "npart_fix_write": (c_int, [c_void_p, c_char_p, c_int, POINTER(npart_error)]),
    "npart_fix_write_sides": (c_int, [c_void_p, POINTER(npart_side_paths), c_int, POINTER(npart_error)]),
    "npart_fix_write_set": (c_int, [POINTER(c_void_p), c_uint32, c_char_p, c_int, POINTER(npart_error)]),
    "npart_plan_split": (c_int, [c_void_p, c_char_p, c_char_p, c_int, POINTER(npart_error)]),
    "npart_plan_annotate": (c_int, [POINTER(c_void_p), c_size_t, c_char_p, c_char_p, c_int, POINTER(npart_error)]),
    "npart_device_text": (c_char_p, [c_int]),
    "npart_placement_make": (
        c_int,
        [
            POINTER(c_void_p),
            POINTER(c_void_p),
            c_uint32,
            c_void_p,
            c_char_p,
            POINTER(npart_placement_options),
            POINTER(npart_error),
        ],
    ),
    "npart_placement_free": (None, [c_void_p]),
    "npart_runs_from_text": (c_char_p, [c_int]),
    "npart_link_kind_text": (c_char_p, [c_int]),
    "npart_link_origin_text": (c_char_p, [c_int]),
    "npart_placement_info": (c_bool, [c_void_p, POINTER(npart_placement_info)]),
    "npart_placement_plans": (c_bool, [c_void_p, c_uint32, POINTER(npart_plan_pair)]),
    "npart_record_make": (c_int, [POINTER(c_void_p), c_void_p, c_void_p, POINTER(npart_error)]),
    "npart_record_free": (None, [c_void_p]),
    "npart_record_side": (POINTER(npart_side), [c_void_p]),
    "npart_name_hash": (c_uint32, [c_char_p]),
    "npart_change_text": (c_char_p, [c_int]),
    "npart_diff_make": (
        c_int,
        [
            POINTER(c_void_p),
            POINTER(npart_side),
            POINTER(npart_side),
            POINTER(npart_diff_options),
            POINTER(npart_error),
        ],
    ),
    "npart_diff_free": (None, [c_void_p]),
    "npart_diff_info": (c_bool, [c_void_p, POINTER(npart_diff_info)]),
    "npart_diff_figure": (c_bool, [c_void_p, c_uint32, POINTER(npart_diff_figure)]),
    "npart_cause_change_text": (c_char_p, [c_int]),
    "npart_diff_cause": (c_bool, [c_void_p, c_uint32, POINTER(npart_diff_cause)]),
    "npart_node_change_text": (c_char_p, [c_int]),
    "npart_diff_node": (c_bool, [c_void_p, c_uint32, POINTER(npart_diff_node)]),
    "npart_format_text": (c_char_p, [c_int]),
    "npart_report": (
        c_int,
        [
            POINTER(npart_subject),
            c_int,
            POINTER(npart_report_options),
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_failure_code": (c_char_p, [POINTER(npart_error)]),
    "npart_plan_first_cause": (c_size_t, [c_void_p, c_bool, POINTER(c_uint32), c_char_p, c_size_t]),
    "npart_action_lines": (c_size_t, [POINTER(npart_action), c_uint32, c_uint32, c_char_p, c_size_t]),
    "npart_plan_settings": (c_int, [c_void_p, c_void_p, npart_write_callback, c_void_p, POINTER(npart_error)]),
    "npart_oplist_has_settings": (c_bool, [c_void_p]),
    "npart_estimate_text": (c_size_t, [c_double, c_char_p, c_size_t]),
    "npart_action_config": (c_size_t, [POINTER(npart_action), c_char_p, c_size_t]),
    "npart_document_start": (
        c_int,
        [
            POINTER(c_void_p),
            c_int,
            POINTER(npart_document_options),
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_document_add": (c_int, [c_void_p, POINTER(npart_entry), POINTER(npart_error)]),
    "npart_document_add_diff": (c_int, [c_void_p, POINTER(c_void_p), c_size_t, POINTER(npart_error)]),
    "npart_document_add_fix": (c_int, [c_void_p, c_void_p, c_char_p, POINTER(npart_error)]),
    "npart_document_add_report": (c_int, [c_void_p, npart_read_callback, c_void_p, POINTER(npart_error)]),
    "npart_document_end": (c_int, [c_void_p, POINTER(npart_error)]),
    "npart_document_free": (None, [c_void_p]),
    "npart_run_read": (
        c_int,
        [
            POINTER(c_void_p),
            npart_read_callback,
            c_void_p,
            POINTER(npart_allocator),
            POINTER(npart_error),
        ],
    ),
    "npart_run_free": (None, [c_void_p]),
    "npart_run_info": (c_bool, [c_void_p, POINTER(npart_run_info)]),
    "npart_run_node": (c_bool, [c_void_p, c_uint32, POINTER(npart_run_node)]),
    "npart_verification_make": (c_int, [POINTER(c_void_p), c_void_p, c_void_p, POINTER(npart_error)]),
    "npart_verification_free": (None, [c_void_p]),
    "npart_verification_info": (c_bool, [c_void_p, POINTER(npart_verification_info)]),
    "npart_verification_node": (c_bool, [c_void_p, c_uint32, POINTER(npart_verified_node)]),
    "npart_verification_text": (
        c_int,
        [
            c_void_p,
            POINTER(npart_verification_names),
            c_bool,
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_verification_json": (
        c_int,
        [
            c_void_p,
            POINTER(npart_verification_names),
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_verification_cases": (c_int, [c_void_p, npart_write_callback, c_void_p, POINTER(npart_error)]),
    "npart_selftest_model": (
        c_int,
        [
            c_uint32,
            POINTER(npart_selftest_model),
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_selftest_make": (
        c_int,
        [
            POINTER(c_void_p),
            c_void_p,
            c_char_p,
            c_char_p,
            POINTER(npart_inference_options),
            POINTER(npart_plan_options),
            POINTER(npart_error),
        ],
    ),
    "npart_selftest_free": (None, [c_void_p]),
    "npart_selftest_info": (c_bool, [c_void_p, POINTER(npart_selftest_info)]),
    "npart_selftest_text": (c_int, [c_void_p, npart_write_callback, c_void_p, POINTER(npart_error)]),
    "npart_selftest_json": (c_int, [c_void_p, npart_write_callback, c_void_p, POINTER(npart_error)]),
    "npart_run_table_read": (
        c_int,
        [
            POINTER(c_void_p),
            npart_read_callback,
            c_void_p,
            POINTER(npart_allocator),
            POINTER(npart_error),
        ],
    ),
    "npart_run_table_free": (None, [c_void_p]),
    "npart_run_table_begins": (c_bool, [c_char_p]),
    "npart_run_table_row": (c_bool, [c_void_p, c_uint32, POINTER(npart_measured_run)]),
    "npart_run_plan": (
        c_int,
        [
            POINTER(c_void_p),
            c_void_p,
            POINTER(npart_measured_run),
            POINTER(npart_run_asked),
            POINTER(c_bool),
            POINTER(npart_error),
        ],
    ),
    "npart_calibration_make": (c_int, [POINTER(c_void_p), POINTER(npart_measurement), c_uint32, POINTER(npart_error)]),
    "npart_calibration_free": (None, [c_void_p]),
    "npart_calibration_info": (c_bool, [c_void_p, POINTER(npart_calibration_info)]),
    "npart_calibration_fitted": (c_bool, [c_void_p, c_uint32, POINTER(npart_fitted)]),
    "npart_calibration_text": (
        c_int,
        [
            c_void_p,
            POINTER(npart_calibration_names),
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_calibration_json": (
        c_int,
        [
            c_void_p,
            POINTER(npart_calibration_names),
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_many_make": (c_int, [POINTER(c_void_p), POINTER(npart_allocator), POINTER(npart_error)]),
    "npart_many_free": (None, [c_void_p]),
    "npart_many_add": (c_int, [c_void_p, c_char_p, c_size_t, POINTER(npart_error)]),
    "npart_many_line": (c_bool, [c_void_p, POINTER(npart_many_line)]),
    "npart_many_info": (c_bool, [c_void_p, POINTER(npart_many_info)]),
    "npart_many_failure": (c_bool, [c_void_p, c_uint32, POINTER(npart_many_failure)]),
    "npart_many_text": (
        c_int,
        [
            c_void_p,
            POINTER(npart_report_options),
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_scan_fingerprint": (c_size_t, [POINTER(npart_scan_options), c_char_p, c_size_t]),
    "npart_many_resume": (
        c_int,
        [
            c_void_p,
            npart_read_callback,
            c_void_p,
            POINTER(npart_resume_options),
            POINTER(c_uint64),
            POINTER(npart_error),
        ],
    ),
    "npart_many_totals": (c_int, [c_void_p, c_uint64, c_double, npart_write_callback, c_void_p, POINTER(npart_error)]),
    "npart_overview_make": (c_int, [POINTER(c_void_p), POINTER(npart_allocator), POINTER(npart_error)]),
    "npart_overview_free": (None, [c_void_p]),
    "npart_overview_add": (c_int, [c_void_p, c_char_p, c_char_p, c_void_p, c_void_p, POINTER(npart_error)]),
    "npart_overview_text": (
        c_int,
        [
            c_void_p,
            POINTER(npart_report_options),
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_spread": (c_int, [c_size_t, POINTER(npart_spread_options), POINTER(npart_error)]),
    "npart_spread_workers": (c_uint32, [c_size_t, c_uint32]),
    "npart_glob_problem": (c_char_p, [c_char_p]),
    "npart_glob_match": (c_bool, [c_char_p, c_char_p]),
    "npart_files_find": (
        c_int,
        [
            POINTER(c_void_p),
            POINTER(c_char_p),
            c_size_t,
            POINTER(npart_files_options),
            POINTER(npart_error),
        ],
    ),
    "npart_files_free": (None, [c_void_p]),
    "npart_files_info": (c_bool, [c_void_p, POINTER(npart_files_info)]),
    "npart_files_file": (c_bool, [c_void_p, c_size_t, POINTER(npart_file)]),
    "npart_condition_text": (c_char_p, [c_int]),
    "npart_bound_info": (c_bool, [c_int, POINTER(npart_bound_info)]),
    "npart_plan_figure": (c_double, [c_void_p, c_int, c_char_p, c_size_t]),
    "npart_thresholds_ask_plans": (c_bool, [POINTER(npart_thresholds)]),
    "npart_share_of": (c_bool, [c_char_p, POINTER(c_double), POINTER(c_bool)]),
    "npart_plan_outcomes": (c_uint32, [c_void_p, POINTER(npart_thresholds), POINTER(npart_gate_outcome), c_uint32]),
    "npart_inference_outcomes": (
        c_uint32,
        [
            c_void_p,
            POINTER(npart_thresholds),
            POINTER(npart_gate_outcome),
            c_uint32,
        ],
    ),
    "npart_action_text": (c_size_t, [POINTER(npart_action), c_bool, c_char_p, c_size_t]),
    "npart_sides_read": (
        c_int,
        [
            POINTER(c_void_p),
            npart_read_callback,
            c_void_p,
            POINTER(npart_sides_options),
            POINTER(npart_error),
        ],
    ),
    "npart_sides_of_line": (c_int, [POINTER(c_void_p), c_char_p, POINTER(npart_allocator), POINTER(npart_error)]),
    "npart_sides_free": (None, [c_void_p]),
    "npart_sides_all": (POINTER(npart_side), [c_void_p, POINTER(c_uint32)]),
    "npart_sides_note": (c_char_p, [c_void_p]),
    "npart_sides_find": (POINTER(npart_side), [c_void_p, c_char_p, c_char_p, c_char_p, POINTER(c_bool)]),
    "npart_sides_find_meant": (POINTER(npart_side), [c_void_p, c_char_p, c_char_p, POINTER(c_bool)]),
    "npart_sides_model": (c_bool, [c_void_p, c_char_p, POINTER(c_char_p)]),
    "npart_sides_plan": (POINTER(npart_side), [c_void_p, c_char_p, POINTER(c_uint32), c_char_p, c_size_t]),
    "npart_sides_find_same": (POINTER(npart_side), [c_void_p, c_char_p, c_void_p, c_char_p, POINTER(npart_side)]),
    "npart_sides_line": (c_char_p, [c_void_p, POINTER(npart_side)]),
    "npart_sides_is_report": (c_bool, [c_void_p, POINTER(npart_side)]),
    "npart_sides_place": (c_bool, [c_void_p, POINTER(npart_side), POINTER(c_uint64), POINTER(c_uint64)]),
    "npart_sides_compare": (
        c_int,
        [
            c_void_p,
            POINTER(npart_side),
            POINTER(npart_side),
            POINTER(npart_compared),
            POINTER(npart_error),
        ],
    ),
    "npart_baseline_make": (
        c_int,
        [
            POINTER(c_void_p),
            c_void_p,
            c_bool,
            POINTER(npart_allocator),
            POINTER(npart_error),
        ],
    ),
    "npart_baseline_free": (None, [c_void_p]),
    "npart_baseline_write": (
        c_int,
        [
            c_void_p,
            c_bool,
            c_bool,
            npart_write_callback,
            c_void_p,
            POINTER(c_uint32),
            POINTER(npart_error),
        ],
    ),
    "npart_project_read": (
        c_int,
        [
            POINTER(c_void_p),
            c_char_p,
            c_size_t,
            npart_project_callback,
            c_void_p,
            POINTER(npart_allocator),
            POINTER(npart_error),
        ],
    ),
    "npart_project_free": (None, [c_void_p]),
    "npart_project_check_toml": (c_int, [c_char_p, c_size_t, POINTER(npart_error)]),
    "npart_project_matches": (c_bool, [POINTER(npart_project_texts), c_char_p]),
    "npart_project_info": (c_bool, [c_void_p, POINTER(npart_project_info)]),
    "npart_project_models": (c_bool, [c_void_p, c_uint32, POINTER(npart_project_texts)]),
    "npart_project_settle": (c_int, [c_void_p, c_char_p, POINTER(npart_project_settings), POINTER(npart_error)]),
    "npart_project_settle_target": (None, [c_void_p, c_char_p, c_char_p, POINTER(npart_thresholds)]),
    "npart_project_found": (None, [c_void_p, c_uint32]),
    "npart_project_idle": (None, [c_void_p, c_bool, npart_project_callback, c_void_p]),
    "npart_project_idle_waivers": (None, [c_void_p, c_bool, npart_project_callback, c_void_p]),
    "npart_checklist_make": (
        c_int,
        [
            POINTER(c_void_p),
            POINTER(c_char_p),
            c_size_t,
            POINTER(npart_checklist_options),
            POINTER(npart_error),
        ],
    ),
    "npart_checklist_free": (None, [c_void_p]),
    "npart_checklist_project": (c_bool, [c_void_p, c_uint32, POINTER(npart_checklist_project)]),
    "npart_checklist_model": (c_bool, [c_void_p, c_uint32, POINTER(npart_checklist_model)]),
    "npart_standing_text": (c_char_p, [c_int]),
    "npart_is_day": (c_bool, [c_char_p]),
    "npart_gate_make": (c_int, [POINTER(c_void_p), c_void_p, POINTER(npart_gate_options), POINTER(npart_error)]),
    "npart_gate_free": (None, [c_void_p]),
    "npart_gate_add": (c_int, [c_void_p, POINTER(npart_gate_plan), POINTER(npart_error)]),
    "npart_gate_settle": (None, [c_void_p]),
    "npart_gate_info": (c_bool, [c_void_p, POINTER(npart_gate_info)]),
    "npart_gate_target": (c_bool, [c_void_p, c_uint32, POINTER(npart_gate_target)]),
    "npart_gate_outcomes": (c_bool, [c_void_p, POINTER(POINTER(npart_threshold_outcome)), POINTER(c_uint32)]),
    "npart_gate_accept": (c_int, [c_void_p, c_uint32, npart_write_callback, c_void_p, POINTER(npart_error)]),
    "npart_gate_text": (
        c_int,
        [
            c_void_p,
            POINTER(npart_report_options),
            c_uint,
            npart_write_callback,
            c_void_p,
            POINTER(npart_error),
        ],
    ),
    "npart_gate_json": (c_int, [c_void_p, npart_write_callback, c_void_p, POINTER(npart_error)]),
}


def declare(library: CDLL) -> None:
    """Tells ctypes what the functions of a library return and take."""
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
