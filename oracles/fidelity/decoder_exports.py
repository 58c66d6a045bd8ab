#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Export decoders with a growing cache, of three layers with random weights, for generate.py.

usage: decoder_exports.py --folder FOLDER [--exporter ts|dynamo]... [--batch] [NAME...]
Needs:  pip install torch transformers onnx onnxscript

Each architecture is a row of ARCHITECTURES: the classes of transformers, and what its configuration has beside SMALL.
What is kept between runs is what the library's own cache holds after a run: keys and values, which grow, and states of
convolutions and recurrences, which do not. Prints a line for each file, with what an exporter says where it fails.
"""
import argparse
import copy
import inspect
import pathlib
import sys
import traceback
import warnings

import torch
import transformers
from transformers.cache_utils import DynamicCache, EncoderDecoderCache, LinearAttentionLayer

LAYERS, PAST, ENCODED = 3, 6, 9
SMALL = {"vocab_size": 600, "hidden_size": 64, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
         "num_key_value_heads": 2, "intermediate_size": 96, "max_position_embeddings": 512, "pad_token_id": 0,
         "bos_token_id": 1, "eos_token_id": 2, "attn_implementation": "eager"}
OPT = {"ffn_dim": 96, "word_embed_proj_dim": 64}
GPT2 = {"n_embd": 64, "n_layer": LAYERS, "n_head": 4, "n_positions": 512}
BART = {"d_model": 64, "encoder_layers": LAYERS, "decoder_layers": LAYERS, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 96, "decoder_ffn_dim": 96, "decoder_start_token_id": 2,
        "scale_embedding": True, "num_hidden_layers": LAYERS}
T5 = {"d_model": 64, "d_kv": 16, "d_ff": 96, "num_layers": LAYERS, "num_heads": 4, "decoder_start_token_id": 0}
WHISPER = {**BART, "num_mel_bins": 80, "max_source_positions": 2 * ENCODED, "max_target_positions": 448,
           "vocab_size": 600, "suppress_tokens": None, "begin_suppress_tokens": None}
EXPERTS = {"num_local_experts": 4, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
           "shared_expert_intermediate_size": 32}
DELTA = {"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 16,
         "linear_value_head_dim": 16, "linear_conv_kernel_dim": 4, "head_dim": 16,
         "layer_types": ["linear_attention", "full_attention", "linear_attention"]}
MAMBA2 = {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 16, "mamba_expand": 2,
          "mamba_d_conv": 4, "mamba_chunk_size": 16}

MLA = {"q_lora_rank": 24, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16,
       "head_dim": 8, "n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2,
       "moe_intermediate_size": 32, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1,
               "num_key_value_heads": 4}
WINDOWS = {"head_dim": 16, "sliding_window": 24,
           "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}

# Name, class of the configuration, of the model, what the configuration has, and `one`: tokens in the trace.
ARCHITECTURES = {
    "llama": ("LlamaConfig", "LlamaForCausalLM", {}),
    "qwen3": ("Qwen3Config", "Qwen3ForCausalLM", {"head_dim": 16}),
    "gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM",
               {"head_dim": 16, "sliding_window": 24, "query_pre_attn_scalar": 16,
                "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}),
    "gemma3n": ("Gemma3nTextConfig", "Gemma3nForCausalLM",
                {"head_dim": 16, "sliding_window": 24, "vocab_size_per_layer_input": 600,
                 "hidden_size_per_layer_input": 16, "laurel_rank": 8, "altup_num_inputs": 2,
                 "num_kv_shared_layers": 0,
                 "intermediate_size": [96] * LAYERS, "activation_sparsity_pattern": [0.0] * LAYERS,
                 "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}),
    "phi": ("PhiConfig", "PhiForCausalLM", {}),
    "phi3": ("Phi3Config", "Phi3ForCausalLM", {"sliding_window": 24}),
    "mistral": ("MistralConfig", "MistralForCausalLM", {"sliding_window": 24, "head_dim": 16}),
    "opt": ("OPTConfig", "OPTForCausalLM", OPT),
    "gpt2": ("GPT2Config", "GPT2LMHeadModel", GPT2),
    "bloom": ("BloomConfig", "BloomForCausalLM", {"n_layer": LAYERS, "n_head": 4}),
    "qwen2_moe": ("Qwen2MoeConfig", "Qwen2MoeForCausalLM", EXPERTS),
    "qwen3_moe": ("Qwen3MoeConfig", "Qwen3MoeForCausalLM", {**EXPERTS, "head_dim": 16}),
    "gpt_oss": ("GptOssConfig", "GptOssForCausalLM",
                {**EXPERTS, "head_dim": 16, "sliding_window": 24, "rope_parameters": {"rope_type": "default",
                                                                                     "rope_theta": 10000.0},
                 "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}),
    "granite": ("GraniteConfig", "GraniteForCausalLM", {}),
    "smollm3": ("SmolLM3Config", "SmolLM3ForCausalLM", {}),
    "cohere": ("CohereConfig", "CohereForCausalLM", {}),
    "stablelm": ("StableLmConfig", "StableLmForCausalLM", {}),
    "glm4": ("Glm4Config", "Glm4ForCausalLM", {"head_dim": 16}),
    "nemotron": ("NemotronConfig", "NemotronForCausalLM", {"head_dim": 16}),
    "exaone4": ("Exaone4Config", "Exaone4ForCausalLM", {"head_dim": 16}),
    "gptj": ("GPTJConfig", "GPTJForCausalLM", {**GPT2, "rotary_dim": 8}),
    "mpt": ("MptConfig", "MptForCausalLM", {"d_model": 64, "n_heads": 4, "n_layers": LAYERS, "max_seq_len": 512}),
    "lfm2": ("Lfm2Config", "Lfm2ForCausalLM", {"layer_types": ["conv", "full_attention", "conv"],
                                               "conv_L_cache": 3}),
    "qwen3_5": ("Qwen3_5TextConfig", "Qwen3_5ForCausalLM", DELTA),
    "qwen3_next": ("Qwen3NextConfig", "Qwen3NextForCausalLM", {**DELTA, **EXPERTS}),
    "jamba": ("JambaConfig", "JambaForCausalLM",
              {**EXPERTS, "attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2,
               "expert_layer_offset": 1, "mamba_d_state": 8, "mamba_dt_rank": 8, "use_mamba_kernels": False}),
    "bamba": ("BambaConfig", "BambaForCausalLM", {**MAMBA2, "attn_layer_indices": [1]}),
    "falcon_h1": ("FalconH1Config", "FalconH1ForCausalLM", {**MAMBA2, "mamba_d_ssm": 128, "head_dim": 16}),
    "granite_hybrid": ("GraniteMoeHybridConfig", "GraniteMoeHybridForCausalLM",
                       {**MAMBA2, **EXPERTS, "layer_types": ["mamba", "attention", "mamba"],
                        "layers_block_type": ["mamba", "attention", "mamba"], "shared_intermediate_size": 32}),
    "gemma": ("GemmaConfig", "GemmaForCausalLM", {"head_dim": 16}),
    "gemma2": ("Gemma2Config", "Gemma2ForCausalLM", {**WINDOWS, "query_pre_attn_scalar": 16}),
    "qwen2": ("Qwen2Config", "Qwen2ForCausalLM", {}),
    "falcon": ("FalconConfig", "FalconForCausalLM", {"new_decoder_architecture": True, "num_kv_heads": 2}),
    "falcon_alibi": ("FalconConfig", "FalconForCausalLM", {"alibi": True, "new_decoder_architecture": False,
               "multi_query": True}),
    "gpt_neo": ("GPTNeoConfig", "GPTNeoForCausalLM", {"num_layers": LAYERS, "num_heads": 4,
               "attention_types": [[["global", "local", "global"], 1]], "window_size": 24}),
    "gpt_neox": ("GPTNeoXConfig", "GPTNeoXForCausalLM", {}),
    "gpt_neox_japanese": ("GPTNeoXJapaneseConfig", "GPTNeoXJapaneseForCausalLM", {}),
    "olmo": ("OlmoConfig", "OlmoForCausalLM", {}),
    "olmo2": ("Olmo2Config", "Olmo2ForCausalLM", {}),
    "olmo3": ("Olmo3Config", "Olmo3ForCausalLM", {k: v for k, v in WINDOWS.items() if k != "head_dim"}),
    "olmoe": ("OlmoeConfig", "OlmoeForCausalLM", EXPERTS),
    "starcoder2": ("Starcoder2Config", "Starcoder2ForCausalLM", {"sliding_window": 24}),
    "cohere2": ("Cohere2Config", "Cohere2ForCausalLM", WINDOWS),
    "deepseek_v2": ("DeepseekV2Config", "DeepseekV2ForCausalLM", MLA),
    "deepseek_v3": ("DeepseekV3Config", "DeepseekV3ForCausalLM", MLA),
    "diffllama": ("DiffLlamaConfig", "DiffLlamaForCausalLM", {"head_dim": 16}),
    "ernie4_5": ("Ernie4_5Config", "Ernie4_5ForCausalLM", {"head_dim": 16}),
    "ernie4_5_moe": ("Ernie4_5_MoeConfig", "Ernie4_5_MoeForCausalLM", {**EXPERTS, "moe_num_experts": 4, "moe_k": 2,
               "moe_num_shared_experts": 1}),
    "codegen": ("CodeGenConfig", "CodeGenForCausalLM", {**GPT2, "rotary_dim": 8, "n_embd": 64}),
    "biogpt": ("BioGptConfig", "BioGptForCausalLM", {}),
    "persimmon": ("PersimmonConfig", "PersimmonForCausalLM", {"num_key_value_heads": 4}),
    "arcee": ("ArceeConfig", "ArceeForCausalLM", {}),
    "helium": ("HeliumConfig", "HeliumForCausalLM", {"head_dim": 16}),
    "hunyuan": ("HunYuanDenseV1Config", "HunYuanDenseV1ForCausalLM", {"head_dim": 16}),
    "seed_oss": ("SeedOssConfig", "SeedOssForCausalLM", {"head_dim": 16}),
    "dots1": ("Dots1Config", "Dots1ForCausalLM", {**MLA, "head_dim": 16}),
    "mixtral": ("MixtralConfig", "MixtralForCausalLM", {**EXPERTS, "head_dim": 16}),
    "phimoe": ("PhimoeConfig", "PhimoeForCausalLM", {**EXPERTS}),
    "granitemoe": ("GraniteMoeConfig", "GraniteMoeForCausalLM", EXPERTS),
    "jetmoe": ("JetMoeConfig", "JetMoeForCausalLM", {**EXPERTS, "kv_channels": 16, "num_key_value_heads": 2}),
    "xglm": ("XGLMConfig", "XGLMForCausalLM", {"d_model": 64, "num_layers": LAYERS, "attention_heads": 4,
               "ffn_dim": 96}),
    "gpt_bigcode": ("GPTBigCodeConfig", "GPTBigCodeForCausalLM", {**GPT2}),
    "apertus": ("ApertusConfig", "ApertusForCausalLM", {}),
    "bitnet": ("BitNetConfig", "BitNetForCausalLM", {}),
    "doge": ("DogeConfig", "DogeForCausalLM", {}),
    "vaultgemma": ("VaultGemmaConfig", "VaultGemmaForCausalLM", {**WINDOWS, "query_pre_attn_scalar": 16}),
    "glm": ("GlmConfig", "GlmForCausalLM", {"head_dim": 16}),
    "glm4_moe": ("Glm4MoeConfig", "Glm4MoeForCausalLM", {**MLA, "head_dim": 16}),
    "llama4": ("Llama4TextConfig", "Llama4ForCausalLM", {**EXPERTS, "head_dim": 16, "intermediate_size_mlp": 96,
               "attention_chunk_size": 32, "floor_scale": 16, "attn_scale": 0.5}),
    "ministral3": ("Ministral3Config", "Ministral3ForCausalLM", {"head_dim": 16}),
    "nanochat": ("NanoChatConfig", "NanoChatForCausalLM", {}),
    "minimax_m2": ("MiniMaxM2Config", "MiniMaxM2ForCausalLM", {**EXPERTS, "head_dim": 16, "rotary_dim": 8}),
    "modernbert_decoder": ("ModernBertDecoderConfig", "ModernBertDecoderForCausalLM", {"local_attention": 24,
               "global_attn_every_n_layers": 2}),
    "youtu": ("YoutuConfig", "YoutuForCausalLM", MLA),
    "lfm2_moe": ("Lfm2MoeConfig", "Lfm2MoeForCausalLM", {**EXPERTS, "layer_types": ["conv", "full_attention",
               "conv"], "conv_L_cache": 3, "num_dense_layers": 1}),
    "zamba2": ("Zamba2Config", "Zamba2ForCausalLM", {**MAMBA2, "layers_block_type": ["mamba", "hybrid", "mamba"],
               "mamba_ngroups": 1, "n_mamba_heads": 8, "mamba_headdim": 16}),
    "nemotron_h": ("NemotronHConfig", "NemotronHForCausalLM", {**MAMBA2, "hybrid_override_pattern": "M*-",
               "mamba_num_heads": 8, "mamba_head_dim": 16, "n_groups": 1, "ssm_state_size": 16, "chunk_size": 16,
               "head_dim": 16}),
    "flex_olmo": ("FlexOlmoConfig", "FlexOlmoForCausalLM", EXPERTS),
    "exaone_moe": ("ExaoneMoeConfig", "ExaoneMoeForCausalLM", {**MLA, **WINDOWS}),
    "recurrent_gemma": ("RecurrentGemmaConfig", "RecurrentGemmaForCausalLM", {"head_dim": 16, "lru_width": 64,
               "attention_window_size": 24, "block_types": ["recurrent", "attention"]}),
    "cwm": ("CwmConfig", "CwmForCausalLM", {**WINDOWS}),
    "gemma4": ("Gemma4TextConfig", "Gemma4ForCausalLM", {**WINDOWS, "vocab_size_per_layer_input": 600,
               "hidden_size_per_layer_input": 16, "global_head_dim": 16}),
    "afmoe": ("AfmoeConfig", "AfmoeForCausalLM", {**EXPERTS, **WINDOWS}),
    "phi3_longrope": ("Phi3Config", "Phi3ForCausalLM", {"sliding_window": None,
               "original_max_position_embeddings": 48,
        "rope_parameters": {"rope_type": "longrope", "rope_theta": 10000.0, "short_factor": [1.0] * 8,
               "long_factor": [1.5 + i for i in range(8)], "factor": 10.0, "original_max_position_embeddings": 48}}),
    "llama_dynamic": ("LlamaConfig", "LlamaForCausalLM", {"max_position_embeddings": 48,
               "rope_parameters": {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 4.0}}),
    "llama_yarn": ("LlamaConfig", "LlamaForCausalLM", {"rope_parameters": {"rope_type": "yarn",
               "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 128}}),
    "roformer": ("RoFormerConfig", "RoFormerForCausalLM", {"is_decoder": True}),
    "bert": ("BertConfig", "BertLMHeadModel", {"is_decoder": True}),
    "mllama": ("MllamaTextConfig", "MllamaForCausalLM", {"cross_attention_layers": []}),
    "blenderbot": ("BlenderbotConfig", "BlenderbotForConditionalGeneration", BART),
    "longt5": ("LongT5Config", "LongT5ForConditionalGeneration", T5),
    "umt5": ("UMT5Config", "UMT5ForConditionalGeneration", T5),
    "mvp": ("MvpConfig", "MvpForConditionalGeneration", BART),
    "plbart": ("PLBartConfig", "PLBartForConditionalGeneration", BART),
    "t5": ("T5Config", "T5ForConditionalGeneration", T5),
    "bart": ("BartConfig", "BartForConditionalGeneration", BART),
    "marian": ("MarianConfig", "MarianMTModel", BART),
    "m2m100": ("M2M100Config", "M2M100ForConditionalGeneration", BART),
    "mbart": ("MBartConfig", "MBartForConditionalGeneration", BART),
    "pegasus": ("PegasusConfig", "PegasusForConditionalGeneration", BART),
    "whisper": ("WhisperConfig", "WhisperForConditionalGeneration", WHISPER),
}


def parts_of(layer):
    """Where in a layer of the cache its tensors are, as pairs of a holder and a key."""
    for attribute in ("keys", "values"):
        if getattr(layer, attribute, None) is not None:
            yield layer.__dict__, attribute
    for attribute in ("conv_states", "recurrent_states"):
        states = getattr(layer, attribute, None)
        if isinstance(states, dict):
            yield from ((states, key) for key in states if states[key] is not None)
        elif isinstance(states, list):
            yield from ((states, i) for i, state in enumerate(states) if state is not None)
        elif states is not None:
            yield layer.__dict__, attribute


def grows(key):
    return key in ("keys", "values")


def like(first):
    """A cache of the same kind, whose tensors may be replaced."""
    if isinstance(first, EncoderDecoderCache):
        out = copy.copy(first)
        out.self_attention_cache, out.cross_attention_cache = map(like, (first.self_attention_cache,
                                                                         first.cross_attention_cache))
        out.is_updated = dict(first.is_updated)
        return out
    out = copy.copy(first)
    out.layers = [copy.copy(layer) for layer in first.layers]
    for layer in out.layers:
        for attribute, value in layer.__dict__.items():
            if isinstance(value, dict):
                layer.__dict__[attribute] = dict(value)
    return out


def update_conv_state(self, conv_states, state_idx=0, conv_kernel_size=None, **_more):
    """Of LinearAttentionLayer, without writing into its tensors: exporters have no such write."""
    if not self.is_conv_states_initialized[state_idx]:
        self.lazy_initialization(conv_states=conv_states, state_idx=state_idx, conv_kernel_size=conv_kernel_size)
    size = self.conv_kernel_size[state_idx]
    if self.has_previous_state[state_idx]:
        whole = torch.cat([self.conv_states[state_idx], conv_states], dim=-1)
    else:
        whole = torch.nn.functional.pad(conv_states, (max(size - conv_states.shape[-1], 0), 0))
        self.has_previous_state[state_idx] = True
    self.conv_states[state_idx] = whole[..., -size:]
    return whole


def update_recurrent_state(self, recurrent_states, state_idx=0, **_more):
    self.is_recurrent_states_initialized[state_idx] = True
    self.recurrent_states[state_idx] = recurrent_states
    return recurrent_states


def symbolic_copy(graph, _into, source, _non_blocking):
    """The TorchScript exporter has none: what is written over is what is written."""
    return graph.op("Identity", source)


torch.onnx.register_custom_op_symbolic("aten::copy", symbolic_copy, 9)
LinearAttentionLayer.update_conv_state = update_conv_state
LinearAttentionLayer.update_recurrent_state = update_recurrent_state


class Causal(torch.nn.Module):
    """One step, from what the cache of the step before holds to what it holds after."""

    def __init__(self, model, first):
        super().__init__()
        self.model, self.first = model, first

    def forward(self, input_ids, attention_mask, position_ids, past):
        cache = like(self.first)
        places = [place for layer in cache.layers for place in parts_of(layer)]
        for (holder, key), tensor in zip(places, past):
            holder[key] = tensor
        more = {} if position_ids is None else {"position_ids": position_ids}
        logits = self.model(input_ids=input_ids, attention_mask=attention_mask, past_key_values=cache, use_cache=True,
                            **more).logits
        return (logits, *(holder[key] for layer in cache.layers for holder, key in parts_of(layer)))


class Decoder(torch.nn.Module):
    """The same of a decoder that looks at what an encoder made."""

    def __init__(self, model, first):
        super().__init__()
        self.model, self.first = model, first

    def forward(self, input_ids, encoder_attention_mask, past, crossed):
        cache = like(self.first)
        for own, kept in ((cache.self_attention_cache, past), (cache.cross_attention_cache, crossed)):
            for (holder, key), tensor in zip([p for layer in own.layers for p in parts_of(layer)], kept):
                holder[key] = tensor
        more = {} if encoder_attention_mask is None else {"attention_mask": encoder_attention_mask}
        encoded = torch.zeros(1, crossed[0].shape[2], self.model.config.hidden_size)
        logits = self.model(decoder_input_ids=input_ids, encoder_outputs=(encoded,), past_key_values=cache,
                            use_cache=True, **more).logits
        return (logits, *(holder[key] for layer in cache.self_attention_cache.layers for holder, key in
                          parts_of(layer)))


def model_of(config_class, model_class, more):
    config = getattr(transformers, config_class)(**{**SMALL, **more})
    config._experts_implementation = "batched_mm"  # the one without sizes that depend on the data
    torch.manual_seed(5)
    model = getattr(transformers, model_class)(config).eval()
    for name, parameter in model.named_parameters():
        if parameter.dim() >= 2 and "norm" not in name:
            # As generate.py has it: far from 0, so that what attention does is seen in the logits.
            is_table = "embed" in name or "wte" in name or "wpe" in name
            torch.nn.init.normal_(parameter, std=0.5 if is_table else 1.2 / parameter.shape[-1] ** 0.5)
    return model, config


def causal(model, config):
    """Module, arguments, names, which axes are dynamic."""
    def filled():
        cache = DynamicCache()
        try:
            model(input_ids=torch.full([1, PAST], 7), past_key_values=cache, use_cache=True)
            if any(getattr(layer, "is_sliding", False) for layer in cache.layers):
                raise ValueError
        except (ValueError, IndexError, AttributeError, NotImplementedError, RuntimeError):
            cache = DynamicCache(config=config)
            model(input_ids=torch.full([1, PAST], 7), past_key_values=cache, use_cache=True)
        return cache

    with torch.no_grad():
        first = filled()
    kinds = [(i, key) for i, layer in enumerate(first.layers) for _, key in parts_of(layer)]
    past = [holder[key].clone() for layer in first.layers for holder, key in parts_of(layer)]

    takes = "position_ids" in inspect.signature(model.forward).parameters
    names = [f"past.{i}.{key}" if grows(key) else f"state.{i}.{n}" for n, (i, key) in enumerate(kinds)]
    has_states = any(not grows(key) for _, key in kinds)
    tokens = 1 if has_states else 2
    args = (torch.full([1, tokens], 9), torch.ones(1, PAST + tokens, dtype=torch.int64),
            torch.arange(PAST, PAST + tokens)[None] if takes else None, past)
    axes = {"input_ids": {} if has_states else {1: "sequence"}, "attention_mask": {1: "total"},
            "position_ids": {} if has_states else {1: "sequence"}}
    slots = {name: {2: "past"} if grows(key) else {} for name, (_, key) in zip(names, kinds)}
    return Causal(model, first).eval(), args, ["input_ids", "attention_mask", "position_ids"], axes, [(names, slots)]


def seq2seq(model, config):
    cross = {"past_key_values": EncoderDecoderCache(DynamicCache(), DynamicCache())}
    is_audio = config.model_type == "whisper"
    with torch.no_grad():
        encoded = torch.randn(1, ENCODED, config.hidden_size)
        model(decoder_input_ids=torch.full([1, PAST], 7), encoder_outputs=(encoded,), use_cache=True, **cross)
    first = cross["past_key_values"]
    own = [holder[key] for layer in first.self_attention_cache.layers for holder, key in parts_of(layer)]
    crossed = [holder[key] for layer in first.cross_attention_cache.layers for holder, key in parts_of(layer)]

    names = [f"past.{i // 2}.{'keys' if i % 2 == 0 else 'values'}" for i in range(len(own))]
    others = [f"encoder.{i // 2}.{'keys' if i % 2 == 0 else 'values'}" for i in range(len(crossed))]
    args = (torch.full([1, 2], 9), None if is_audio else torch.ones(1, ENCODED, dtype=torch.int64),
            [t.clone() for t in own], [t.clone() for t in crossed])
    axes = {"input_ids": {1: "sequence"}, "encoder_attention_mask": {1: "encoded"}}
    return (Decoder(model, first).eval(), args, ["input_ids", "encoder_attention_mask"], axes,
            [(names, {name: {2: "past"} for name in names}), (others, {name: {2: "encoded"} for name in others})])


def export(name, exporter, folder, batch=False):
    config_class, model_class, more = ARCHITECTURES[name]
    model, config = model_of(config_class, model_class, more)
    is_causal = "CausalLM" in model_class or "LMHead" in model_class
    module, args, plain, axes, lists = (causal if is_causal else seq2seq)(model, config)
    given = [n for n, a in zip(plain, args) if a is not None]
    names = given + [n for list_names, _ in lists for n in list_names]
    if batch:  # of each input for itself, as TorchScript names it and dynamo finds
        axes = {n: {0: f"batch.{n}", **at} for n, at in axes.items()}
        lists = [(list_names, {n: {0: f"batch.{n}", **at} for n, at in slots.items()}) for list_names, slots in lists]
    outputs = ["logits", *(n.replace("past.", "present.").replace("state.", "new_state.") for n in lists[0][0])]
    path = folder / f"{name}.{exporter}{'.batch' * batch}.onnx"
    with torch.no_grad():
        if exporter == "ts":
            dynamic = {**{n: axes[n] for n in given if axes[n]}}
            for _, slots in lists:
                dynamic.update({n: at for n, at in slots.items() if at})
            torch.onnx.export(module, args, str(path), input_names=names, output_names=outputs, opset_version=17,
                              dynamic_axes=dynamic, dynamo=False)
        else:
            sizes = {}

            def dim(text):
                made = torch.export.Dim(text, min=2, max=500) if text == "encoded" else torch.export.Dim.DYNAMIC
                return sizes.setdefault(text, made)

            shapes = [None if a is None else {k: dim(v) for k, v in axes[n].items()} for n, a in zip(plain, args)]
            shapes += [[{k: dim(v) for k, v in slots[n].items()} for n in list_names] for list_names, slots in lists]
            torch.onnx.export(module, args, str(path), input_names=names, output_names=outputs, opset_version=18,
                              dynamic_shapes=tuple(shapes), dynamo=True, external_data=False, verbose=False)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--exporter", action="append", choices=["ts", "dynamo"])
    parser.add_argument("--batch", action="store_true", help="of any size, by a name of each input's own")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    failed = 0
    for name in args.names or ARCHITECTURES:
        for exporter in args.exporter or ["ts", "dynamo"]:
            try:
                print(export(name, exporter, args.folder, args.batch), flush=True)
            except Exception as error:  # whatever an exporter raises
                failed += 1
                where = traceback.extract_tb(error.__traceback__)[-1]
                while error.__cause__:
                    error = error.__cause__
                text = str(error).strip().splitlines() or [""]
                print(f"{name}.{exporter}: {type(error).__name__}: {text[-1][:200]} ({where.name}:{where.lineno})",
                      flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
