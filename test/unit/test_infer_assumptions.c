/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes that must be equal for a model to work, where different symbols meet; and the binding that is proposed from
 * them.
 */
#include <stdio.h>

#include "infer/infer.h"
#include "support/built.h"
#include "support/test.h"

static struct built built;
static struct npart__inference inference;

static void infer(const char *text)
{
    struct npart__infer_options options = {0};
    build_text(&built, text);
    REQUIRE(built.status == NPART_OK);
    REQUIRE(npart__infer(&built.graph, &options, &built.arena, &inference, &built.error) == NPART_OK);
}

/* "n = m at y; ..." */
static const char *assumptions(void)
{
    struct npart__buffer text;
    npart__buffer_init(&text, &built.arena);
    for (uint32_t i = 0; i < inference.assumptions.count; i++) {
        const struct npart__assumption *assumption = &inference.assumptions.items[i];
        npart__append_text(&text, i ? "; " : "");
        npart__append_dim(&text, &inference.expressions, assumption->left);
        npart__append_text(&text, " = ");
        npart__append_dim(&text, &inference.expressions, assumption->right);
        npart__append_text(&text, " at ");
        npart__append_text(&text, node_label(&built.graph, assumption->node));
    }
    return npart__buffer_text(&text);
}

/* "decode: n=1 m=8"; "none" where there is no such use */
static const char *proposal(uint32_t use, uint32_t attempt)
{
    struct npart__buffer text;
    struct npart__proposal proposed;
    npart__buffer_init(&text, &built.arena);
    REQUIRE(npart__propose_sizes(&inference, &built.arena, use, attempt, &proposed));
    npart__append_format(&text, "%s%s", proposed.use ? proposed.use : "none",
                         proposed.use && *proposed.use ? ": " : "");
    for (uint32_t i = 0; i < proposed.count; i++)
        npart__append_format(&text, "%s%s=%lld", i ? " " : "", proposed.requests[i].name,
                             (long long)proposed.requests[i].size);
    return npart__buffer_text(&text);
}

static void check(const char *text, const char *wanted)
{
    infer(text);
    CHECK_TEXT(assumptions(), wanted);
    built_close(&built);
}

static void test_infer_assumptions__are_made_where_symbols_meet(void)
{
    check("input a float32[n,4]\ninput b float32[m,4]\nnode y = Add(a, b)\noutput y\n", "n = m at y");
    check("input a float32[n,4]\ninput b float32[7,4]\nnode y = Add(a, b)\noutput y\n", "n = 7 at y");
    check("input a float32[n,4]\ninput b float32[m,3]\nnode y = Concat(a, b) axis=1\noutput y\n", "n = m at y");
    check("input a float32[2,k]\ninput b float32[8,3]\nnode y = MatMul(a, b)\noutput y\n", "k = 8 at y");
    check("input a float32[n,4]\ninit s int64[2] = 8 2\nnode y = Reshape(a, s)\noutput y\n", "4*n = 16 at y");
    check("input a float32[n]\ninit s int64[2] = 7 -1\nnode y = Reshape(a, s)\noutput y\n", "n = 7*floor(n/7) at y");
    check("input a float32[1,c,8]\ninit w float32[6,3,2]\nnode y = Conv(a, w) group=2\noutput y\n", "c = 6 at y");
    check("input a float32[s,b,c]\ninput h float32[1,d,4]\ninit w float32[1,4,5]\ninit r float32[1,4,4]\n"
          "node y = RNN(a, w, r, , , h) hidden_size=4\noutput y\n", "c = 5 at y; d = b at y");
    check("input q float32[1,s,8]\ninput k float32[1,2,p,d]\ninput n int32[1]\ninput t int32[]\n"
          "node y = com.microsoft:GroupQueryAttention(q, q, q, k, k, n, t) num_heads=2 kv_num_heads=2\noutput y\n",
          "d = 4 at y");
    check("input a float32[2,k]\ninput b float32[l,3]\nnode y = Gemm(a, b)\noutput y\n", "k = l at y");
}

static void test_infer_assumptions__are_not_made_where_sizes_are_the_same(void)
{
    check("input a float32[n,4]\ninput b float32[n,1]\nnode y = Add(a, b)\noutput y\n", "");
    check("input a float32[2*n,4]\ninput b float32[n + n,4]\nnode y = Add(a, b)\noutput y\n", "");
    check("input a float32[n,4]\ninput b float32[1,4]\nnode y = Add(a, b)\noutput y\n", "");
    check("input a float32[?,4]\ninput b float32[m,3]\nnode y = Concat(a, b) axis=1\noutput y\n", "");
}

static void test_infer_assumptions__are_made_once(void)
{
    check("input a float32[n,4]\ninput b float32[m,4]\nnode x = Add(a, b)\nnode y = Mul(a, b)\nnode z = Add(a, b)\n"
          "output x\noutput y\noutput z\n",
          "n = m at x");
}

static void check_proposal(const char *text, const char *wanted)
{
    infer(text);
    CHECK_TEXT(proposal(0, 0), wanted);
    built_close(&built);
}

/* Of inputs that nothing relates. */
static void check_inputs(const char *inputs, const char *wanted)
{
    char text[1024];
    (void)snprintf(text, sizeof text, "%sinput of_no_size float32[1]\nnode y = Relu(of_no_size)\noutput y\n", inputs);
    check_proposal(text, wanted);
}

static void test_infer_assumptions__decide_what_is_proposed(void)
{
    check_proposal("input a float32[batch,k]\ninput b float32[batch,m]\nnode y = Add(a, b)\noutput y\n",
                   "batch=1 k=128 m=128");
    check_proposal("input a float32[batch,k]\ninput w float32[768,3]\nnode y = MatMul(a, w)\noutput y\n",
                   "batch=1 k=768");
    check_proposal("input a float32[s,p + s]\ninput b float32[s,total]\nnode y = Add(a, b)\noutput y\n",
                   "s=128 p=128 total=256");
    check_proposal("input a float32[seq,4]\ninput b float32[77,4]\nnode y = Add(a, b)\noutput y\n", "seq=77");
    /* One position for each patch of 14, and one more; the image is square. */
    check_proposal("input a float32[batch,3,height,width]\ninit w float32[8,3,14,14]\n"
                   "node c = Conv(a, w) strides=[14,14]\nnode t = Transpose(c) perm=[0,2,3,1]\n"
                   "init s int64[2] = 1 -1\nnode r = Reshape(t, s)\ninit p float32[1,4608]\nnode y = Add(r, p)\n"
                   "output y\n", "batch=1 height=336 width=336");
    /* Rows of seven. */
    check_proposal("input a int64[batch,seq]\ninit s int64[2] = -1 7\nnode y = Reshape(a, s)\noutput y\n",
                   "batch=1 seq=112");
    check_proposal("input a float32[batch,1,h,w]\ninit s int64[2] = -1 784\nnode r = Reshape(a, s)\n"
                   "init w2 float32[784,10]\nnode y = MatMul(r, w2)\noutput y\n", "batch=1 h=224 w=224");
    check_proposal("input a float32[batch,1,h,w]\ninit s int64[2] = 1 784\nnode y = Reshape(a, s)\noutput y\n",
                   "batch=1 h=28 w=28");
    /* The roundest of 3199 and 3200. */
    check_proposal("input a float32[1,2,frames]\ninit w float32[2,2,3]\n"
                   "node c = Conv(a, w) strides=[2] pads=[1,1]\ninit p float32[2,1600]\nnode y = Add(c, p)\n"
                   "output y\n", "frames=3200");
}

/* As many elements as a square or a cube has. */
static void test_infer_assumptions__powers_of_sizes(void)
{
    check_proposal("input a float32[seq,seq]\ninput b float32[m]\ninit s int64[1] = -1\nnode r = Reshape(a, s)\n"
                   "node y = Add(r, b)\noutput y\n",
                   "seq=128 m=16384");
    check_proposal("input a float32[side,side,side]\ninit s int64[2] = 8 8\nnode y = Reshape(a, s)\noutput y\n",
                   "side=4");
}

static void test_infer_assumptions__sizes_are_usual_ones(void)
{
    check_inputs("input a float32[batch,k]\n", "batch=1 k=128");
    check_inputs("input a float32[2*batch,k]\n", "batch=1 k=128");
    check_inputs("input a float32[p + q]\n", "p=128 q=128");
    check_inputs("input a float32[2,3]\n", "");
    check_inputs("input a float32[batchSize,numChannels,img_h,imgW]\n", "batchSize=1 numChannels=3 img_h=224 imgW=224");
    check_inputs("input a float32[N,4,h,w]\n", "N=1 h=64 w=64");
    check_inputs("input a float32[b,src_len,8]\ninput x int64[b,dec_seq]\n", "b=1 src_len=128 dec_seq=128");
    check_inputs("input a float32[B,num_samples]\ninput m float32[B,80,n_frames]\n",
                 "B=1 num_samples=16000 n_frames=1000");
}

/* Strides of 8, 16 and 32: three positions joined, or three outputs of as many channels. */
#define STRIDES                                                                                                        \
    "input images float32[1,3,height,width]\ninit k8 float32[6,3,8,8]\ninit k2 float32[6,6,2,2]\n"                     \
    "node p8 = Conv(images, k8) strides=[8,8]\nnode p16 = Conv(p8, k2) strides=[2,2]\n"                               \
    "node p32 = Conv(p16, k2) strides=[2,2]\n"
#define ROWS(name) "node f" name " = Reshape(p" name ", s)\n"

static void test_infer_assumptions__detectors_see_larger_images(void)
{
    static const char *const words[] = {"boxes", "pred_bbox", "dets", "detection_scores", "anchorIndex"};
    char text[512];
    check_proposal(STRIDES "init s int64[3] = 1 6 -1\n" ROWS("8") ROWS("16") ROWS("32")
                   "node y = Concat(f8, f16, f32) axis=2\noutput y\n", "height=640 width=640");
    check_proposal(STRIDES "output p8\noutput p16\noutput p32\n", "height=640 width=640");
    /* Features of a backbone have more channels the smaller they are; two are no heads. */
    check_proposal(STRIDES "init w float32[12,6,1,1]\nnode q = Conv(p32, w)\noutput p8\noutput p16\noutput q\n",
                   "height=224 width=224");
    check_proposal(STRIDES "output p16\noutput p32\n", "height=224 width=224");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        (void)snprintf(text, sizeof text, "input x float32[1,3,h,w]\nnode %s = Relu(x)\noutput %s\n", words[i],
                       words[i]);
        check_proposal(text, "h=640 w=640");
    }
    check_proposal("input x float32[1,3,h,w]\nnode outbox = Relu(x)\noutput outbox\n", "h=224 w=224");
}

static void test_infer_assumptions__lines_and_chunks(void)
{
    check_inputs("input image float32[batch,1,32,w]\n", "batch=1 w=320");
    check_inputs("input image float32[?,3,48,?]\n", "image.0=1 image.3=320");
    check_inputs("input image float32[batch,3,96,width]\n", "batch=1 width=224");
    check_inputs("input input float32[?,?]\ninput sr int64[]\n", "input.0=1 input.1=16000");
    check_inputs("input input float32[?,?]\ninput sr int64[]\ninput state float32[2,?,128]\n",
                 "input.0=1 input.1=512 state.1=1");
    check_inputs("input input float32[?,?]\ninput state float32[2,?,128]\n", "input.0=1 input.1=128 state.1=1");
}

static void test_infer_assumptions__sizes_without_a_telling_name_go_by_place(void)
{
    check_inputs("input a float32[?,k]\n", "a.0=1 k=128");
    check_inputs("input a float32[?]\n", "a.0=128");
    check_inputs("input input_ids int64[s0,s1]\n", "s0=1 s1=128");
    check_inputs("input wave float32[?,?]\ninput state float32[2,?,128]\n", "wave.0=1 wave.1=16000 state.1=1");
    check_inputs("input image float32[unk__6,224,224,3]\n", "unk__6=1");
    check_inputs("input image float32[?,?,?,3]\n", "image.0=1 image.1=224 image.2=224");
    check_inputs("input image float32[?,3,?,?]\n", "image.0=1 image.2=224 image.3=224");
    check_inputs("input video float32[?,?,3,?,?]\n", "video.0=1 video.1=16 video.3=224 video.4=224");
    check_inputs("input x float32[?,64,?,?]\n", "x.0=1 x.2=64 x.3=64");
}

static void check_uses(const char *inputs, const char *first, const char *second)
{
    char text[1024];
    (void)snprintf(text, sizeof text, "%sinput of_no_size float32[1]\nnode y = Relu(of_no_size)\noutput y\n", inputs);
    infer(text);
    CHECK_TEXT(proposal(0, 0), first);
    CHECK_TEXT(proposal(1, 0), second);
    CHECK_TEXT(proposal(2, 0), "none");
    built_close(&built);
}

static void test_infer_assumptions__a_decoder_with_a_cache_has_two_uses(void)
{
    check_uses("input input_ids int64[batch,seq]\n", "batch=1 seq=128", "none");
    check_uses("input input_ids int64[batch,seq]\ninput past_key_values.0.key float32[batch,2,past,64]\n"
               "input attention_mask int64[batch,total]\n",
               "decode: batch=1 seq=1 past=127 total=128", "prefill: batch=1 seq=128 past=128 total=256");
    check_uses("input input_ids int64[batch,seq]\ninput attention_mask int64[batch,past_seq_len + seq]\n",
               "decode: batch=1 seq=1 past_seq_len=127", "prefill: batch=1 seq=128 past_seq_len=128");
    /* As PyTorch names them by itself. */
    check_uses("input input_ids int64[s0,s1]\ninput attention_mask int64[s0,s2]\n"
               "input past_key_0 float32[s0,2,s3,64]\n",
               "decode: s0=1 s1=1 s2=128 s3=127", "prefill: s0=1 s1=128 s2=256 s3=128");
    /* Always one position. */
    check_uses("input input_ids int64[batch,1]\ninput attention_mask int64[batch,total]\n"
               "input past_key_0 float32[batch,2,past,64]\n",
               "batch=1 total=128 past=127", "none");
}

static void test_infer_assumptions__a_batch_of_one_broadcasts(void)
{
    check_proposal("input a float32[batch,k]\ninput b float32[7,8]\nnode y = Add(a, b)\noutput y\n", "batch=1 k=8");
    check_proposal("input a float32[batch,k]\ninput b float32[7,8]\nnode y = Concat(a, b) axis=1\noutput y\n",
                   "batch=7 k=128");
    check_proposal("input a float32[batch,8]\nnode y = MatMul(a, a)\noutput y\n", "batch=8");
}

static void test_infer_assumptions__later_attempts_try_other_sizes(void)
{
    infer("input a float32[batch,k]\nnode y = Relu(a)\noutput y\ninput c int64[1,seq]\n");
    CHECK_TEXT(proposal(0, 0), "batch=1 k=128 seq=128");
    CHECK_TEXT(proposal(0, 1), "batch=1 k=512 seq=512");
    CHECK_TEXT(proposal(0, 2), "batch=1 k=256 seq=256");
    built_close(&built);
}

TESTS(test_infer_assumptions__are_made_where_symbols_meet,
      test_infer_assumptions__are_not_made_where_sizes_are_the_same, test_infer_assumptions__are_made_once,
      test_infer_assumptions__decide_what_is_proposed, test_infer_assumptions__powers_of_sizes,
      test_infer_assumptions__sizes_are_usual_ones,
      test_infer_assumptions__detectors_see_larger_images, test_infer_assumptions__lines_and_chunks,
      test_infer_assumptions__sizes_without_a_telling_name_go_by_place,
      test_infer_assumptions__a_decoder_with_a_cache_has_two_uses,
      test_infer_assumptions__a_batch_of_one_broadcasts,
      test_infer_assumptions__later_attempts_try_other_sizes)
