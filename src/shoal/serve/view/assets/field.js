// A field that keeps what is being typed until it is taken, whatever else changes on the page meanwhile.
export default {
  template: `
    <textarea v-if="lines" :rows="lines" :value="text" @input="text = $event.target.value" @change="taken"></textarea>
    <input v-else :type="kind" :value="text" @input="text = $event.target.value" @change="taken" autocomplete="off" spellcheck="false">`,
  props: { value: String, kind: { type: String, default: "text" }, lines: Number },
  emits: ["taken"],
  data() { return { text: this.value }; },
  watch: { value(now) { this.text = now; } },
  methods: {
    taken() {
      const told = this.text;
      this.$emit("taken", told);
      setTimeout(() => {  // what was taken otherwise than it was typed is shown as it was taken
        if (this.text === told && (this.kind === "range" || document.activeElement !== this.$el)) this.text = this.value;
      }, 1500);
    },
  },
};
