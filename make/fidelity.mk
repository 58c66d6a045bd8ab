# SPDX-License-Identifier: Apache-2.0
#: Against real compilers, runtimes and published figures (models and oracles of your own)
fidelity: $(tool) $(VENV)/ready ## verdicts and partitions against real compilers (MODELS, TRUTH=folder; TARGET, SOC)
	$(VENV)/bin/python oracles/fidelity/fidelity.py --tool $(tool) --models $(MODELS) --target $(TARGET)$(if $(SOC),:$(SOC)) \
		$(if $(TRUTH),--truth $(TRUTH)) $(if $(ORACLE),--live --oracle $(ORACLE) --python $(ORACLE_PYTHON))
fidelity-reports: $(tool) ## whether steps pay and do what they say, whether each report says if the NPU is worth it, how long it is (MODELS=folder)
	$(PYTHON) oracles/fidelity/reports.py $(tool) fixtures $(MODELS)
fidelity-first-action: $(tool) $(VENV)/ready ## the first action carried out, the compiler asked (MODELS, ORACLE, ORACLE_PYTHON)
	@test -f "$(ORACLE)" || { echo "ORACLE=SCRIPT that asks the compiler, ORACLE_PYTHON=PYTHON that runs it" >&2; exit 2; }
	$(VENV)/bin/python oracles/fidelity/first_action.py --tool $(tool) --target $(TARGET) --oracle $(ORACLE) \
		--python $(ORACLE_PYTHON) --cache $(BUILD)/fidelity-first-action $(MODELS)
fidelity-reasons: $(tool) ## causes against the reasons that the compiler gives, by class (MODELS, TRUTH=folder; TARGET, SOC)
	$(PYTHON) oracles/fidelity/reasons.py --tool $(tool) --models $(MODELS) --truth $(TRUTH) --target $(TARGET)$(if $(SOC),:$(SOC))
fidelity-intel: $(tool) $(VENV)/ready ## the same for Intel's compiler and provider, gate by gate (MODELS, TRUTH=folder)
	$(VENV)/bin/python oracles/fidelity/intel.py --tool $(tool) --models $(MODELS) --truth $(TRUTH)
fidelity-shapes: $(tool) $(VENV)/ready ## types and shapes against other inferences and real runs (MODELS=folder)
	$(PYTHON) oracles/fidelity/shapes.py --tool $(tool) $(MODELS)
	$(VENV)/bin/python oracles/fidelity/view.py --tool $(tool) --runtime $(VENV)/bin/python $(MODELS)
fidelity-work: $(tool) $(VENV)/ready ## multiply-accumulates and bytes against onnx-tool and a table (MODELS, TRUTH=folder)
	$(VENV)/bin/pip -q install onnx-tool
	$(VENV)/bin/python oracles/fidelity/work.py --tool $(tool) $(MODELS) $(if $(TRUTH),--truth $(TRUTH))
fidelity-recommendation: $(tool) $(VENV)/ready ## NPU or CPU, against published pairs of latencies (MODELS, TRUTH=folder)
	$(VENV)/bin/python oracles/fidelity/recommendation.py $(tool) $(MODELS) $(TRUTH)/latency.csv.gz
fidelity-valid: $(tool) $(VENV)/ready ## what ONNX Runtime refuses to load, against the tool's findings (MODELS, TRUTH=folder)
	$(VENV)/bin/python oracles/fidelity/valid.py --tool $(tool) $(MODELS) $(if $(TRUTH),--truth $(TRUTH))
# How many random operands each operator gets, at each version and for each element type.
DRAWS ?= 2
fidelity-values: $(OUT)/test/checks/print_elements $(VENV)/ready ## computed elements against ONNX Runtime's kernels (DRAWS, SEED)
	$(VENV)/bin/python oracles/fidelity/values.py --printer $< --draws $(DRAWS) --seed $(SEED)
fidelity-precision: $(tool) $(shared_library) ## what --as promises against what ONNX Runtime's quantizer writes (MODELS=files; ORACLE_PYTHON with onnx, onnx-ir and onnxruntime)
	@test -n "$(ORACLE_PYTHON)" || { echo "ORACLE_PYTHON=PYTHON with onnx, onnx-ir and onnxruntime" >&2; exit 2; }
	PYTHONPATH=python/src NPU_PARTITION_LIBRARY=$(abspath $(shared_library)) \
		$(ORACLE_PYTHON) oracles/fidelity/precision.py $(tool) --work $(BUILD)/precision $(MODELS)
fidelity-weights: $(tool) ## what weights lose against numpy (MODELS=files; ORACLE_PYTHON with onnx and numpy)
	@test -n "$(ORACLE_PYTHON)" || { echo "ORACLE_PYTHON=PYTHON with onnx and numpy" >&2; exit 2; }
	$(ORACLE_PYTHON) oracles/fidelity/weights.py $(tool) $(MODELS)
fidelity-sizes: $(tool) $(OUT)/test/checks/print_sizes $(VENV)/ready ## models run by ONNX Runtime at the sizes proposed (MODELS=folder)
	$(VENV)/bin/python oracles/fidelity/sizes.py --tool $(tool) --printer $(OUT)/test/checks/print_sizes \
		--cache $(BUILD)/fidelity-sizes $(MODELS)
fidelity-memory: $(tool) $(VENV)/ready ## peak activations and weights against ONNX Runtime's arena (MODELS=folder; NAMES)
	$(VENV)/bin/python oracles/fidelity/memory.py --tool $(tool) --page $(BUILD)/fidelity-memory.md $(MODELS) $(NAMES)
fidelity-compiled: $(tool) ## compiled models and selftest against the compiler (ORACLE_PYTHON with onnx and onnxruntime-qnn)
	@test -n "$(ORACLE_PYTHON)" || { echo "ORACLE_PYTHON=PYTHON with onnx and onnxruntime-qnn" >&2; exit 2; }
	$(ORACLE_PYTHON) oracles/fidelity/compiled.py --tool $(tool)
fidelity-waves: $(tool) $(VENV)/ready ## waves against ONNX Runtime's partitioner (MODELS=folder)
	$(VENV)/bin/python oracles/fidelity/waves.py --tool $(tool) --models $(MODELS)
# How often k networks are drawn from each set of rows.
CALIBRATION_DRAWS ?= 2
fidelity-calibrate: $(tool) ## what calibrate brings for networks that it has not seen (MODELS, TRUTH=folder; CALIBRATION_DRAWS, SEED)
	$(PYTHON) oracles/fidelity/calibrate.py --tool $(tool) --models $(MODELS) --truth $(TRUTH) --draws $(CALIBRATION_DRAWS) \
		--seed $(SEED)
# What `fix` writes. Folders of what they keep; the oracle's answers stay there between runs.
FIX_FOLDER ?= $(BUILD)/fidelity-fix
FIX_CACHE ?= $(BUILD)/fidelity-fix-oracle
MINUTES ?= 100000
oracle_is_needed = @test -f "$(ORACLE)" || { echo "ORACLE=SCRIPT that asks the compiler, ORACLE_PYTHON=PYTHON that runs it" >&2; exit 2; }
fidelity-fix: $(tool) $(VENV)/ready ## each rewrite of fix on pattern models and real ones, equal in ONNX Runtime (MODELS; NAMES)
	$(VENV)/bin/python oracles/fidelity/fix_equality.py --tool $(tool) --folder $(FIX_FOLDER) --page $(BUILD)/fix-equality.md \
		$(if $(NAMES),--only $(NAMES)) $(MODELS)
fidelity-opsets: $(tool) $(VENV)/ready ## what fix says by another opset, on ONNX's node tests in ONNX Runtime
	$(VENV)/bin/python -W ignore oracles/fidelity/opsets.py --tool $(tool) --folder $(FIX_FOLDER)-opsets
fidelity-fix-htp: $(tool) $(VENV)/ready ## the same, run on the HTP library before and after (ORACLE_PYTHON with onnxruntime-qnn, MODELS)
	$(VENV)/bin/python oracles/fidelity/fix_run_htp.py --tool $(tool) --python $(ORACLE_PYTHON) --folder $(FIX_FOLDER)-htp \
		--page $(BUILD)/fix-htp.md $(MODELS)
fidelity-fix-oracle: $(tool) $(VENV)/ready ## fixed models put to the compiler (ORACLE, ORACLE_PYTHON, EP, MODELS, TRUTH; MINUTES)
	$(oracle_is_needed)
	$(VENV)/bin/python oracles/fidelity/fix_oracle.py --tool $(tool) --oracle $(ORACLE) --python $(ORACLE_PYTHON) --ep $(EP) \
		--cache $(FIX_CACHE) $(if $(TRUTH),--truth $(TRUTH)) --minutes $(MINUTES) --page $(BUILD)/fix-oracle-$(EP).md $(MODELS)
EP ?= qnn
# PEERS is the bin folder of an environment of its own: python3 -m venv DIR && DIR/bin/pip install onnxslim onnxsim onnx onnxruntime
PEERS ?= $(firstword $(wildcard ../tools/peers/bin))
fidelity-fix-peers: $(tool) $(VENV)/ready ## fix beside onnxslim and onnxsim on the same models (PEERS=DIR/bin, MODELS; ORACLE)
	@test -x "$(PEERS)/onnxslim" || { echo "PEERS=DIR/bin, after: python3 -m venv DIR &&" \
		"DIR/bin/pip install onnxslim onnxsim onnx onnxruntime" >&2; exit 2; }
	$(VENV)/bin/python oracles/fidelity/fix_peers.py --tool $(tool) --peers $(PEERS) --folder $(FIX_FOLDER)-peers \
		$(if $(ORACLE),--oracle $(ORACLE) --python $(ORACLE_PYTHON) --cache $(FIX_CACHE)) --page $(BUILD)/fix-peers.md $(MODELS)
SPLIT_TARGETS ?= hexagon,tidl
fidelity-split: $(tool) $(VENV)/ready ## parts of models run one after the other, against the whole (MODELS; SPLIT_TARGETS)
	$(VENV)/bin/python oracles/fidelity/split.py --tool $(tool) --folder $(BUILD)/fidelity-split --target $(SPLIT_TARGETS) \
		fixtures $(MODELS)
fidelity-ends: $(tool) $(VENV)/ready ## lines of reports that end a model, and the parts against the whole (MODELS; END_TARGETS)
	$(VENV)/bin/python oracles/fidelity/ends.py --tool $(tool) --folder $(BUILD)/fidelity-ends --target $(END_TARGETS) $(MODELS)
END_TARGETS ?= rknn,edgetpu,stm32n6,hexagon,edgetpu+quantize,stm32n6+quantize
fidelity-generate: $(tool) $(VENV)/ready ## tokens of decoders with caches that grow and with fixed ones (MODELS="MODEL[:DIM=SIZE,...] ...")
	$(VENV)/bin/python oracles/fidelity/generate.py --tool $(tool) --folder $(BUILD)/fidelity-generate $(MODELS)
fidelity-room: $(tool) $(VENV)/ready ## the same of cuts that the report tells where a session holds half of a model (MODELS), and of a decoder of 4 GB
	$(VENV)/bin/python oracles/fidelity/split.py --tool $(tool) --folder $(BUILD)/fidelity-split --target hexagon --room 0.5 \
		fixtures $(MODELS)
	$(VENV)/bin/python oracles/fidelity/decoder.py --tool $(tool) --folder $(BUILD)/fidelity-decoder
fidelity-mobile: $(tool) $(VENV)/ready ## +checker of nnapi and coreml-* against ONNX Runtime's usability checker (MODELS=folder)
	$(VENV)/bin/python oracles/fidelity/mobile.py --tool $(tool) --models $(MODELS)
# The compilers of other targets, by a script that prints what one says of a model. PROBES: models of one operator. An
# answer of ask_xnnpack.py names no fused node, so of whole models the counts alone are compared. An operator of which
# onnx2tf makes several may be on both sides, so ethos-u's counts are not held to as much.
VERIFY_NAME = $(firstword $(subst +, ,$(subst :, ,$(subst @, ,$(TARGET)))))
VERIFY_SCRIPT = $(firstword $(wildcard oracles/fidelity/ask_$(VERIFY_NAME).py) $(VERIFY_SCRIPT_$(VERIFY_NAME)) $(ORACLE))
VERIFY_PROBES = $(firstword $(wildcard oracles/fidelity/$(VERIFY_NAME)_probes.py) $(VERIFY_PROBES_$(VERIFY_NAME)))
VERIFY_FOLDER ?= $(BUILD)/verify-$(VERIFY_NAME)
VERIFY_MODELS_xnnpack := --counts
VERIFY_LEAST_ethos-u := --least 0.97 0.7 0.9
# The folder of providers_build.py, and what is asked there: nnapi-nchw and coreml-*-static for those switches.
PROVIDERS ?= $(BUILD)/providers
PROVIDER ?= $(VERIFY_NAME)
VERIFY_ARGUMENTS := --together 50 --arguments="--ask $(PROVIDERS)/ask --provider $(PROVIDER)"
$(foreach name,nnapi coreml-mlprogram coreml-neuralnetwork,$(eval VERIFY_SCRIPT_$(name) := oracles/fidelity/ask_providers.py)\
	$(eval VERIFY_PROBES_$(name) := oracles/fidelity/providers_probes.py)\
	$(eval VERIFY_ARGUMENTS_$(name) = $$(VERIFY_ARGUMENTS)))
verify-target: $(tool) $(VENV)/ready ## a list against the target's own compiler: own probes, PROBES and MODELS (TARGET=xnnpack, ethos-u+onnx2tf, nnapi, coreml-mlprogram; ORACLE_PYTHON; ORACLE, SWITCHES=@RELEASE+...)
	@test -n "$(ORACLE_PYTHON)" -a -f "$(VERIFY_SCRIPT)" || { echo "TARGET=xnnpack ORACLE_PYTHON=PYTHON that has the" \
		"compiler, or ORACLE=SCRIPT that asks it" >&2; exit 2; }
	@mkdir -p $(VERIFY_FOLDER)
	test -z "$(VERIFY_PROBES)" || $(VENV)/bin/python $(VERIFY_PROBES) $(VERIFY_FOLDER)/own
	for kind in $(if $(VERIFY_PROBES),own) $(if $(PROBES),probes) $(if $(MODELS),models); do \
		case $$kind in own) at=$(VERIFY_FOLDER)/own;; probes) at=$(PROBES);; models) at="$(VERIFY_MODELS_$(VERIFY_NAME)) $(MODELS)";; esac; \
		echo "== $$kind"; $(VENV)/bin/python oracles/fidelity/verify.py --tool $(tool) --target $(TARGET)$(SWITCHES) \
			$(VERIFY_LEAST_$(VERIFY_NAME)) --oracle $(VERIFY_SCRIPT) --python $(ORACLE_PYTHON) \
			$(VERIFY_ARGUMENTS_$(VERIFY_NAME)) --write $(VERIFY_FOLDER)/$$kind.jsonl.gz $$at || bad=1; \
	done; test -z "$$bad"
fit: $(tool) $(VENV)/ready ## cost parameters of oplists/hexagon.cost from published latencies (MODELS, TRUTH=folder)
	$(VENV)/bin/python oracles/fidelity/cost.py fit --tool $(tool) --models $(MODELS) --truth $(TRUTH)
fidelity-look: $(tool) $(VENV)/ready ## the families set aside, by a fit to the others: once a release (MODELS, TRUTH)
	$(VENV)/bin/python oracles/fidelity/cost.py look --tool $(tool) --models $(MODELS) --truth $(TRUTH)
fidelity-cost: $(tool) $(VENV)/ready ## the cost formula against them, networks held out; writes docs/evidence/fidelity-cost.md (MODELS, TRUTH)
	$(VENV)/bin/python oracles/fidelity/cost.py check --tool $(tool) --models $(MODELS) --truth $(TRUTH) \
		--page docs/evidence/fidelity-cost.md
fidelity-llm: $(tool) $(VENV)/ready ## language models against published speeds; writes docs/evidence/fidelity-llm.md (TRUTH=folder)
	$(VENV)/bin/python oracles/fidelity/llm.py --tool $(tool) --truth $(TRUTH) --page docs/evidence/fidelity-llm.md
fidelity-elsewhere: $(tool) $(VENV)/ready ## language models on GPUs and with RKLLM, families left out; writes docs/evidence/fidelity-elsewhere.md (TRUTH=folder)
	$(VENV)/bin/python oracles/fidelity/elsewhere.py --tool $(tool) --truth $(TRUTH) --page docs/evidence/fidelity-elsewhere.md
fidelity-place: $(tool) ## each row of place beside the report of that file alone, of twelve sets (MODELS=folder)
	$(PYTHON) oracles/fidelity/place_rows.py --tool $(tool) --models $(MODELS)
# ROWS is a table of published latencies beside a folder models/; oracles/fidelity/fits.csv says what of a target is fitted.
FIT_TARGET ?= rknn
fit-rates: $(tool) $(VENV)/ready ## rates of each chip of a target from published latencies into its list, families held out (ROWS=FILE; FIT_TARGET)
	$(VENV)/bin/python oracles/fidelity/fit_rates.py --tool $(tool) --rows $(ROWS) --target $(FIT_TARGET) \
		--write oplists/$(FIT_TARGET).ops
fidelity-rates: $(tool) $(VENV)/ready ## published times of chips beside Hexagon's; writes docs/evidence/fidelity-rates.md (ROWS=FILE)
	$(VENV)/bin/python oracles/fidelity/rates_page.py --tool $(tool) --rows $(ROWS) --page docs/evidence/fidelity-rates.md
# Lines of intel_npu.py with `cpu_seconds`, as `compile_time.py ask` writes them.
ANSWERS ?=
fidelity-compile-time: $(tool) $(VENV)/ready ## how long compilers took, networks held out; into docs/evidence/fidelity-cost.md (MODELS, TRUTH; ANSWERS)
	$(VENV)/bin/python oracles/fidelity/compile_time.py check --tool $(tool) --models $(MODELS) --truth $(TRUTH) \
		$(if $(ANSWERS),--answers $(ANSWERS)) --page docs/evidence/fidelity-cost.md
# VELA stands in an environment of its own: python3 -m venv DIR && DIR/bin/pip install ethos-u-vela onnx tflite numpy
VELA ?= $(firstword $(wildcard ../tools/vela/bin/vela))
RANDOM_CASES ?= 300
SEED ?= 1
fidelity-vela: $(tool) ## the target ethos-u against Arm's Vela (VELA=DIR/bin/vela of an environment; RANDOM_CASES, SEED)
	@test -x "$(VELA)" || { echo "VELA=DIR/bin/vela, after: python3 -m venv DIR &&" \
		"DIR/bin/pip install ethos-u-vela onnx tflite numpy" >&2; exit 2; }
	$(dir $(VELA))python oracles/fidelity/vela.py --tool $(tool) --vela $(VELA) --random $(RANDOM_CASES) --seed $(SEED)
fidelity-vela-memory: $(tool) ## memory on ethos-u beside Vela's; writes docs/evidence/fidelity-vela-memory.md (VELA; FILES of models)
	$(dir $(VELA))python oracles/fidelity/vela_memory.py --tool $(tool) --vela $(VELA) \
		--page docs/evidence/fidelity-vela-memory.md $(FILES)
FACTS ?= $(firstword $(wildcard ../shared/facts))
facts-by-lot: ## draw two facts a target, to be held against source and op list (FACTS=folder of sheets, SEED)
	@test -d "$(FACTS)" || { echo "FACTS=FOLDER, of fact sheets in Markdown" >&2; exit 2; }
	$(PYTHON) oracles/fidelity/facts_by_lot.py --facts $(FACTS) --seed $(SEED)

.PHONY: fidelity fidelity-reports fit-rates fidelity-first-action fidelity-weights fidelity-reasons fidelity-intel fidelity-shapes \
	fidelity-work fidelity-recommendation fidelity-valid fidelity-values fidelity-sizes fidelity-memory fidelity-waves \
	fidelity-calibrate fidelity-fix fidelity-opsets fidelity-fix-htp fidelity-fix-oracle fidelity-fix-peers \
	fidelity-split fidelity-ends fidelity-generate fidelity-room \
	fidelity-mobile verify-target fit fidelity-look fidelity-cost fidelity-llm fidelity-elsewhere fidelity-place fidelity-compile-time fidelity-vela fidelity-vela-memory \
	facts-by-lot
